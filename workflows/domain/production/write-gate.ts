import type { Denial } from '../agents/credential.ts'
import type { ErrorCode } from '../core/error-codes.ts'
import type { RailKey } from '../rails/rail.ts'

/** What the production write gate validates, in the documented order. */
export const gateChecks = [
  'scoped_key',
  'idempotency',
  'allowed_rail',
  'https_callback',
  'audit_event',
] as const
export type GateCheckName = (typeof gateChecks)[number]
export type GateCheck = { check: GateCheckName; ok: boolean; detail: string }

export const gateRules: Readonly<Record<GateCheckName, string>> = {
  scoped_key:
    'The access key is live, its agent is trusted, and it has every scope that the operation needs; both are read in the transaction of the write.',
  idempotency: 'The write has an idempotency key that was not used for another payload.',
  allowed_rail: 'The operation takes the rail, and the access key is for it.',
  https_callback:
    'The callback is an HTTPS URL of a public host, or a receiver that the operator allows.',
  audit_event: 'An audit event of the write is stored in its transaction.',
}

/** How an operation is behind the gate: which rails it takes, by what they are for or by name, and whether a callback has to be given. */
export type GatedWrite = {
  readonly rails: 'paid_agent_use' | 'priced' | 'controlled_loop' | readonly RailKey[]
  readonly callback: 'required' | 'if_given'
}

/** What was read of a write. */
export type GateFacts = {
  /** Why the access key may not do this. */
  readonly denials: readonly Denial[]
  /** The rails that the operation takes. */
  readonly rails: readonly RailKey[]
  readonly rail: RailKey
  /** How the idempotency key was used before at this operation by this agent. */
  readonly key: 'unused' | 'repeated' | 'other_payload'
  readonly callback: { readonly ok: boolean; readonly detail: string }
  readonly auditEventId: string
}

const keyDetails: Readonly<Record<GateFacts['key'], string>> = {
  unused: 'the key was not used before',
  repeated: 'the key was used before: a repeat gets the first answer',
  other_payload: 'the key was used for another payload',
}

/** The five checks of a write, in their order. */
export function judgeWrite(facts: GateFacts): GateCheck[] {
  const { denials, rails, rail, key, callback, auditEventId } = facts
  const ofKey = denials.find(({ code }) => code !== 'rail_not_allowed')
  const ofRail = rails.includes(rail)
    ? denials.find(({ code }) => code === 'rail_not_allowed')?.detail
    : `the operation does not take ${rail}`
  const check = (name: GateCheckName, ok: boolean, detail: string) => ({ check: name, ok, detail })
  return [
    check('scoped_key', ofKey === undefined, ofKey?.detail ?? 'the access key covers the write'),
    check('idempotency', key !== 'other_payload', keyDetails[key]),
    check('allowed_rail', ofRail === undefined, ofRail ?? `${rail} is allowed`),
    check('https_callback', callback.ok, callback.detail),
    check('audit_event', true, `recorded as ${auditEventId}`),
  ]
}

export const passes = (checks: readonly GateCheck[]): boolean => checks.every(({ ok }) => ok)

/** The code by which a gated operation refuses; that of the first check that fails. */
export function refusalCode(
  checks: readonly GateCheck[],
  denials: readonly Denial[],
): ErrorCode | undefined {
  const failed = checks.find(({ ok }) => !ok)?.check
  if (failed === undefined) return undefined
  const ofKey = denials.find(({ code }) => code !== 'rail_not_allowed')?.code
  const codes: Readonly<Record<GateCheckName, ErrorCode>> = {
    scoped_key: ofKey ?? 'scope_denied',
    idempotency: 'idempotency_conflict',
    allowed_rail: 'rail_not_allowed',
    https_callback: 'callback_refused',
    audit_event: 'unavailable',
  }
  return codes[failed]
}
