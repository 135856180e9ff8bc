import { z } from 'zod'
import { canonicalJson } from '../core/canonical-json.ts'
import { plainTextPattern } from '../core/plain-text.ts'
import { railKeys } from '../rails/rail.ts'

/** The prefix of what is signed for each kind of artifact, so that no signature passes for another. */
export const authorityContexts = {
  mandate: 'service.authority.mandate.v1',
  grant: 'service.authority.grant.v1',
  action: 'service.authority.action.v1',
} as const
export type ArtifactKind = keyof typeof authorityContexts

/** What the signature of an artifact covers: its context, a zero byte, and its canonical JSON without `signature`. */
export function signedText(
  kind: ArtifactKind,
  artifact: Readonly<Record<string, unknown>>,
): string {
  const { signature: _signature, ...unsigned } = artifact
  return `${authorityContexts[kind]}\0${canonicalJson(unsigned)}`
}

export const authorityLimits = {
  operationsMax: 16,
  railsMax: railKeys.length,
  resourcesMax: 16,
  usdMax: 1_000_000,
  actionsMax: 10_000,
  mandateDaysMax: 90,
  grantSecondsMin: 10,
  grantSecondsMax: 300,
  grantSecondsDefault: 120,
  draftHours: 24,
} as const

const { operationsMax, railsMax, resourcesMax, usdMax, actionsMax } = authorityLimits

const digest = z.string().regex(/^[0-9a-f]{64}$/)
const MandateId = z.string().regex(/^mdt_[0-9a-f]{64}$/)
const GrantId = z.string().regex(/^gr_[0-9a-f]{64}$/)
const AgentId = z.string().regex(/^agt_[0-9a-f]{64}$/)
const Signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/)
const KeyId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
const Usd = z.int().min(0).max(usdMax)
const OperationId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
const Time = z.iso.datetime()

export const MandateLimits = z.strictObject({
  per_action_usd: Usd.meta({ description: 'The most that one action may cost, in whole usd.' }),
  total_usd: Usd.meta({ description: 'The most that all actions together may cost.' }),
  actions_max: z.int().min(1).max(actionsMax),
})

/** What a mandate permits; all but the last two are required. */
export const mandateTerms = {
  principal_id: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/),
  agent_id: AgentId,
  purpose: z.string().min(1).max(500).regex(plainTextPattern),
  allowed_operations: z.array(OperationId).min(1).max(operationsMax),
  rails: z.array(z.enum(railKeys)).max(railsMax),
  resources: z
    .array(z.string().regex(/^[A-Za-z0-9._:-]{1,160}$/))
    .max(resourcesMax)
    .meta({
      description:
        'The wallets, credits and payment references that may pay; empty for any of the agent.',
    }),
  limits: MandateLimits,
  valid_from: Time,
  expires_at: Time,
}
export const MandateTerms = z.strictObject(mandateTerms)
export type MandateTerms = z.output<typeof MandateTerms>

/** A mandate as it is signed: an operator permits an agent these operations within these limits. */
export const SignedMandate = z
  .strictObject({
    schema: z.literal('authority-mandate.v1'),
    context: z.literal(authorityContexts.mandate),
    version: z.literal(1),
    mandate_id: MandateId,
    issuer: z.string().min(1).max(2048),
    ...mandateTerms,
    may_redelegate: z.literal(false),
    key_id: KeyId,
    signature: Signature,
  })
  .meta({ id: 'SignedMandate' })
export type SignedMandate = z.output<typeof SignedMandate>

/** A grant as it is signed: one call of one operation with one input. */
export const SignedGrant = z
  .strictObject({
    schema: z.literal('action-grant.v1'),
    context: z.literal(authorityContexts.grant),
    grant_id: GrantId,
    issuer: z.string().min(1).max(2048),
    mandate_id: MandateId,
    agent_id: AgentId,
    operation_id: OperationId,
    input_sha256: digest,
    spend_usd_max: Usd,
    expires_at: Time,
    nonce: z.string().regex(/^[0-9a-f]{32}$/),
    key_id: KeyId,
    signature: Signature,
  })
  .meta({ id: 'SignedActionGrant' })
export type SignedGrant = z.output<typeof SignedGrant>

/** What an agent did under a grant, as it is signed; the result itself is named by its digest. */
export const SignedAction = z
  .strictObject({
    schema: z.literal('delegated-action.v1'),
    context: z.literal(authorityContexts.action),
    action_id: z.string().regex(/^da_[0-9a-f]{64}$/),
    issuer: z.string().min(1).max(2048),
    mandate_id: MandateId,
    grant_id: GrantId,
    agent_id: AgentId,
    operation_id: OperationId,
    input_sha256: digest,
    spent_usd: Usd,
    result_status: z.int().min(200).max(299),
    result_sha256: digest,
    executed_at: Time,
    key_id: KeyId,
    signature: Signature,
  })
  .meta({ id: 'SignedDelegatedAction' })
export type SignedAction = z.output<typeof SignedAction>

/** The schema of each kind; it names the context, so that an artifact of another kind does not fit it. */
export const artifactSchemas = { mandate: SignedMandate, grant: SignedGrant, action: SignedAction }

export type Artifact<Kind extends ArtifactKind> = z.output<(typeof artifactSchemas)[Kind]>
/** An artifact before its key signs it. */
export type Unsigned<Kind extends ArtifactKind> = Omit<
  Artifact<Kind>,
  'key_id' | 'signature' | 'context'
>

const DAY_MS = 24 * 3600 * 1000

/** What is wrong with the limits and times of a mandate, with the pointer of each fault; none for terms that can be issued. */
export function termFaults(
  { limits, valid_from, expires_at }: Pick<MandateTerms, 'limits' | 'valid_from' | 'expires_at'>,
  nowMs: number,
): { pointer: string; message: string }[] {
  const from = Date.parse(valid_from)
  const until = Date.parse(expires_at)
  const checks: readonly (readonly [fails: boolean, pointer: string, message: string])[] = [
    [
      limits.per_action_usd > limits.total_usd,
      '/action/limits/per_action_usd',
      'is over total_usd',
    ],
    [until <= from, '/action/expires_at', 'is not after valid_from'],
    [until <= nowMs, '/action/expires_at', 'has passed'],
    [
      until - Math.max(from, nowMs) > authorityLimits.mandateDaysMax * DAY_MS,
      '/action/expires_at',
      `is more than ${authorityLimits.mandateDaysMax} days after the start`,
    ],
  ]
  return checks.filter(([fails]) => fails).map(([, pointer, message]) => ({ pointer, message }))
}

/** What an operator should know before a mandate of these terms is issued. */
export function termWarnings(terms: MandateTerms, delegable: readonly string[]): string[] {
  const unknown = terms.allowed_operations.filter((id) => !delegable.includes(id))
  const checks: readonly (readonly [applies: boolean, warning: string])[] = [
    [unknown.length > 0, `no mandate can permit ${unknown.join(', ')}: not delegable`],
    [terms.rails.length === 0, 'rails is empty: no action that names a rail is permitted'],
    [terms.resources.length === 0, 'resources is empty: any wallet or credit of the agent may pay'],
    [terms.limits.total_usd === 0, 'total_usd is 0: only actions without a price are permitted'],
  ]
  return checks.filter(([applies]) => applies).map(([, warning]) => warning)
}
