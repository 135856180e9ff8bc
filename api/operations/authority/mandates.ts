import { z } from 'zod'
import { Ap2Asked } from '#domain/ap2/terms.ts'
import { authorityContexts, authorityLimits, MandateTerms } from '#domain/authority/artifacts.ts'
import { authorityRules } from '#domain/authority/rules.ts'
import { limits } from '#domain/core/limits.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { callerIn } from '../../caller.ts'
import type { Context } from '../../context.ts'
import {
  Address,
  AtomicAmount,
  Digest,
  ExpiresAt,
  encodedText,
  freeText,
  IdempotencyKey,
  PayoutId,
  UsdcAmount,
  WalletSignature,
} from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Receipt } from '../../shapes/receipts.ts'
import {
  Ap2InspectionShape,
  authorityPath,
  DraftId,
  Inspection,
  IssuedAp2,
  IssuedAuthority,
  MandateId,
  PresentedMandate,
  termsAsked,
} from './shapes.ts'

const contract = {
  mandate_schema: z.string(),
  grant_schema: z.string(),
  identity: z.strictObject({
    public: z.string(),
    agent: z.string(),
    operator: z.string(),
  }),
  tools: z.array(z.string()).meta({ description: 'The modes of this path.' }),
  rails: z.array(z.enum(railKeys)),
  enforcement: z.strictObject({
    default: z.literal('deny'),
    precedence: z.literal('deny'),
    rules: z.array(z.string()),
    contexts: z.record(z.string(), z.string()),
    limits: z.record(z.string(), z.int()),
  }),
  delegable_operations: z.array(z.string()),
  key: z.looseObject({ alg: z.string(), key_id: z.string().nullable() }),
}

const AuthorityContract = z.strictObject(contract).meta({ id: 'AuthorityContract' })
export const ControlPlane = z
  .strictObject({
    ...contract,
    live: z.strictObject({
      active_mandates: z.int(),
      revoked_mandates: z.int(),
      grants_last_hour: z.int(),
      paused: z.boolean(),
    }),
  })
  .meta({ id: 'AuthorityControlPlane' })

const modes = [
  'read_control_plane',
  'draft_mandate',
  'issue_mandate',
  'inspect_mandate',
  'issue_action_grant',
  'evaluate_action',
  'execute_delegated_action',
  'revoke_mandate',
]

/** The contract as the registry, the rules and the keys give it. */
export async function contractOf({ discovery, delegations }: Context) {
  const schemas = discovery.schemas.index()
  const urlOf = (file: string) => schemas.find(({ name }) => name === file)?.url ?? ''
  const { alg, key_id } = await discovery.authorityKey()
  return {
    mandate_schema: urlOf('authority-mandate.v1.json'),
    grant_schema: urlOf('action-grant.v1.json'),
    identity: {
      public: 'may draft a mandate',
      agent: 'Authorization: Bearer ag_…: inspects, evaluates and executes under its own mandates',
      operator: 'Authorization: Bearer op_…: issues mandates and grants, and revokes mandates',
    },
    tools: modes,
    rails: [...railKeys],
    enforcement: {
      default: 'deny' as const,
      precedence: 'deny' as const,
      rules: authorityRules.map(({ id }) => id),
      contexts: authorityContexts,
      limits: authorityLimits,
    },
    delegable_operations: [...delegations.operations],
    key: { alg, key_id },
  }
}

/** POST /api/delegated-authority, mode `draft_mandate`: the only one that changes something for a public caller. */
export const draftMandate = operation({
  id: 'draft-mandate',
  summary: 'Draft a mandate without a signature; an operator may issue it within a day.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'public',
  errors: ['limits_invalid', 'forbidden_material'],
  uses: () => ({ records: 1 }),
  idempotency: { kind: 'effect' },
  input: z.strictObject({ mode: z.literal('draft_mandate'), action: z.strictObject(termsAsked) }),
  output: z
    .strictObject({
      mandate_draft: MandateTerms,
      draft_id: DraftId,
      digest: Digest,
      missing: z
        .array(z.string())
        .meta({ description: 'What an operator adds when it is issued.' }),
      warnings: z.array(z.string()),
    })
    .meta({ id: 'MandateDraft' }),
  handle: async ({ action }, { mandates, delegations }) => ({
    body: await mandates.draft(action, delegations.operations),
  }),
})

const ap2 = z.strictObject({
  payment: encodedText(limits.presentationCharsMax).meta({
    description: 'The open payment mandate, alone or with the closed one behind ~~.',
  }),
  checkout: encodedText(limits.presentationCharsMax).optional().meta({
    description: 'The checkout mandate that belongs to it, in the same form.',
  }),
  challenge_token: encodedText(8192).optional().meta({
    description: 'The challenge that the mandates were closed for.',
  }),
})

/** POST /api/delegated-authority, mode `inspect_mandate`. A mandate that is none is a 200 with `valid` false. */
export const inspectMandate = operation({
  id: 'inspect-mandate',
  summary:
    'Check a mandate of authority or mandates of AP2: signature, state, constraints, and what remains. Uses nothing.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: ['agent', 'operator'],
  needs: { scopes: ['authority:read'] },
  errors: ['not_owner', 'forbidden_material'],
  idempotency: { kind: 'read' },
  input: z
    .strictObject({
      mode: z.literal('inspect_mandate'),
      signed_mandate: PresentedMandate.optional(),
      action: z.strictObject({ ap2 }).optional(),
    })
    .refine(
      ({ signed_mandate, action }) => (signed_mandate === undefined) !== (action === undefined),
      {
        message: 'give either signed_mandate or action.ap2',
      },
    ),
  output: z.union([Inspection, Ap2InspectionShape]),
  handle: async ({ signed_mandate = {}, action }, context) => {
    const agentId = callerIn(context).agentId
    if (action !== undefined) return { body: await context.ap2.inspect(action.ap2, agentId) }
    return { body: await context.mandates.inspect(signed_mandate, agentId) }
  },
})

const forPayout = z.strictObject({
  payout: z.strictObject({
    payout_id: PayoutId,
    expires_at: ExpiresAt,
    authorize_idempotency_key: IdempotencyKey,
  }),
  checkout_jwt: encodedText(8192),
  holder_proof: z.strictObject({
    binding_version: z.union([z.literal(1), z.literal(2)]),
    holder_wallet: Address,
    signature: WalletSignature,
  }),
  idempotency_key: IdempotencyKey,
})

/** Screened as a whole: names, titles and the members that AP2 leaves open are signed as they were sent. */
const Ap2Terms = Ap2Asked.meta({ 'x-free-text': true })

const action = z.union([
  z.strictObject({ draft_id: DraftId, idempotency_key: IdempotencyKey }),
  z.strictObject({ ...termsAsked, idempotency_key: IdempotencyKey }),
  forPayout,
  z.strictObject({ ap2: Ap2Terms, idempotency_key: IdempotencyKey }),
])
type Asked = z.output<typeof action>

const IssuedForPayout = z
  .looseObject({
    mandate_id: z.string(),
    ap2_mandate: z.string(),
    request_sha256: Digest,
    recipient: Address,
    amount_usdc: UsdcAmount,
    amount_atomic: AtomicAmount,
    expires_at: z.int().meta({ description: 'Unix seconds.' }),
    receipt: z.string(),
  })
  .meta({ id: 'IssuedMandate' })

async function issue(asked: Asked, context: Context) {
  const operator = callerIn(context).operator
  if ('payout' in asked) return context.authority.issueMandate(operator, asked)
  if ('ap2' in asked) return context.mandates.issueAp2(operator, asked)
  if ('draft_id' in asked) return context.mandates.issue(operator, asked)
  const { idempotency_key, ...terms } = asked
  return context.mandates.issue(operator, { idempotency_key, terms })
}

/** POST /api/delegated-authority, mode `issue_mandate`. */
export const issueMandate = operation({
  id: 'issue-mandate',
  summary:
    'Issue a mandate of authority for an agent, open mandates of AP2 for its payments, or the mandate that a treasury holder presents for one created payout.',
  http: { method: 'POST', path: '/api/delegated-authority', host: 'base' },
  access: 'operator',
  status: [201],
  errors: [
    'not_found',
    'wrong_state',
    'holder_unknown',
    'authority_denied',
    'request_digest_mismatch',
    'challenge_expired',
    'payout_expired',
    'limits_invalid',
    'forbidden_material',
  ],
  idempotency: { kind: 'body', key: (input) => input.action.idempotency_key },
  input: z.strictObject({ mode: z.literal('issue_mandate'), action }),
  output: z.union([IssuedAuthority, IssuedAp2, IssuedForPayout]),
  handle: async ({ action }, context) => ({ body: await issue(action, context) }),
})

/** GET /api/delegated-authority. */
export const authorityContract = operation({
  id: 'authority-contract',
  summary:
    'What delegated authority supports: schemas, identities, modes, rails, rules and operations.',
  http: { method: 'GET', path: authorityPath, host: 'base' },
  access: 'public',
  output: AuthorityContract,
  handle: async (_input, context) => ({ body: await contractOf(context) }),
})

const namedOnce = ({
  signed_mandate,
  action,
}: {
  signed_mandate?: object | undefined
  action: { mandate_id?: string | undefined }
}) => (signed_mandate === undefined) !== (action.mandate_id === undefined)

/** POST /api/delegated-authority, mode `revoke_mandate`: takes effect at once for every process. */
export const revokeMandate = operation({
  id: 'revoke-mandate',
  summary:
    'Revoke a mandate with its unused grants; no action, payment or payout starts under it afterwards.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'operator',
  errors: ['not_found', 'authority_denied', 'forbidden_material'],
  idempotency: { kind: 'effect' },
  input: z
    .strictObject({
      mode: z.literal('revoke_mandate'),
      signed_mandate: PresentedMandate.optional(),
      action: z.strictObject({
        mandate_id: MandateId.optional().meta({
          description: 'The mandate, instead of `signed_mandate`.',
        }),
        reason: freeText(500, 1),
      }),
    })
    .refine(namedOnce, { message: 'give either signed_mandate or action.mandate_id' }),
  output: z
    .strictObject({
      mandate_id: MandateId,
      state: z.literal('revoked'),
      revoked_grants: z.int(),
      receipt: Receipt,
    })
    .meta({ id: 'RevokedMandate' }),
  handle: async ({ signed_mandate, action: { mandate_id, reason } }, context) => {
    const { mandates } = context
    const named = mandate_id ?? (await mandates.idOf(signed_mandate ?? {}))
    const body = await mandates.revoke(callerIn(context).operator, { mandate_id: named, reason })
    return { body }
  },
})
