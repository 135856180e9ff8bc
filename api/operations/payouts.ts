import { z } from 'zod'
import { environments } from '#domain/core/environment.ts'
import { limits, NETWORK } from '#domain/core/limits.ts'
import { EXECUTE_PATH, payoutTerms } from '#domain/payouts/payout.ts'
import { payoutStates } from '#domain/payouts/payout-state.ts'
import { shownTransferStatuses } from '#domain/payouts/transfer-status.ts'
import { callerIn } from '../caller.ts'
import {
  Address,
  AtomicAmount,
  Digest,
  ExpiresAt,
  encodedText,
  freeText,
  IdempotencyKey,
  PayoutId,
  Signature,
  Time,
  Usage,
  UsdcAmount,
} from '../fields.ts'
import { answeredByWorkflow, operation } from '../operation.ts'
import { CallbackUrl } from '../shapes/tasks.ts'

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/)

const Transfer = z
  .object({
    status: z.enum(shownTransferStatuses),
    authorization_nonce: Hash.nullable(),
    transaction_hash: Hash.nullable(),
    block_number: z.int().nullable(),
    confirmations: z.int(),
    next_poll_ms: z.int().nullable(),
  })
  .meta({ id: 'Transfer', description: 'The transfer of the principal on chain.' })

const Payout = z
  .object({
    payout_id: PayoutId,
    state: z.enum(payoutStates),
    recipient: Address,
    amount_usdc: UsdcAmount,
    amount_atomic: AtomicAmount,
    network: z.literal(NETWORK),
    asset: Address,
    payout_wallet: Address,
    memo: z.string(),
    rail_reference: z.string(),
    usage: Usage,
    environment: z.enum(environments),
    terms_sha256: Digest,
    creator: Address,
    created_at: Time,
    authorized_at: Time.nullable(),
    executed_at: Time.nullable(),
    expires_at: z.int().nullable(),
    mandate_ref: z.string().nullable(),
    payout_principal_is_fee: z.literal(false),
    money_moved: z.enum(['no', 'yes', 'unknown']),
    next_action: z.string(),
    transfer: Transfer,
  })
  .meta({ id: 'Payout', description: 'A payout as its creator sees it.' })

/** What every payout operation answers: the payout and its signed receipts, each a compact JWS. */
const PayoutAnswer = z
  .object({ payout: Payout, receipt: z.string().nullable(), receipts: z.array(z.string()) })
  .meta({
    id: 'PayoutAnswer',
    description: 'The payout, its latest receipt and all of its receipts.',
  })

/** POST /api/payout-authorize: authorizes a created payout. */
export const authorizePayout = operation({
  id: 'payout-authorize',
  summary:
    'Bind a treasury principal signature and an unused mandate presentation to exactly one created payout.',
  http: { method: 'POST', path: '/api/payout-authorize', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  errors: [
    'not_found',
    'wrong_state',
    'authority_denied',
    'holder_unknown',
    'issuer_untrusted',
    'mandate_invalid',
    'key_binding_missing',
    'key_binding_invalid',
    'key_binding_expired',
    'audience_mismatch',
    'request_digest_mismatch',
    'principal_signature_invalid',
    'presentation_consumed',
    'challenge_consumed',
    'mandate_consumed',
    'challenge_expired',
    'payout_expired',
    'forbidden_material',
  ],
  idempotency: { kind: 'body', keepsInput: true },
  input: z.strictObject({
    payout_id: PayoutId,
    idempotency_key: IdempotencyKey,
    presentation: encodedText(limits.presentationCharsMax),
    challenge_token: encodedText(limits.challengeTokenCharsMax),
    expires_at: ExpiresAt,
    principal_signature: Signature,
  }),
  output: PayoutAnswer,
  handle: async ({ payout_id }, context) => {
    await context.payouts.authorize(callerIn(context).wallet, payout_id, context.callId)
    return answeredByWorkflow
  },
})

const input = z.strictObject({
  recipient: Address,
  amount_usdc: UsdcAmount.meta({ not: { pattern: '^0(\\.0+)?$' }, description: 'More than zero.' }),
  idempotency_key: IdempotencyKey,
  memo: freeText(limits.memoCharsMax),
  rail_reference: freeText(limits.railReferenceCharsMax),
  usage: Usage.default('unspecified'),
})

/** POST /api/payout-create: creates a payout from its terms. */
export const createPayout = operation({
  id: 'payout-create',
  summary:
    'Fix the terms of a payout: recipient, amount and label. Moves no money and grants no authority.',
  http: { method: 'POST', path: '/api/payout-create', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  status: [201],
  errors: ['payout_cap_exceeded', 'recipient_refused', 'forbidden_material'],
  idempotency: {
    kind: 'body',
    fingerprint: payoutTerms,
    keepsInput: true,
  },
  input,
  output: PayoutAnswer,
  reveal: (answer, { payouts }) => payouts.createdAnswer(answer),
  handle: async (input, context) => {
    await context.payouts.create(callerIn(context).wallet, input, context.callId)
    return answeredByWorkflow
  },
})

/** POST /api/payout-execute: the payout is the key, so any repeat joins the one transfer. */
const executePayout = operation({
  id: 'payout-execute',
  summary:
    'Transfer the principal of an authorized payout, once. 202 while the transfer is under way: wait with payout-status and Prefer: wait=20.',
  http: { method: 'POST', path: EXECUTE_PATH, host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  charge: 'before',
  status: [200, 202],
  errors: ['not_found', 'wrong_state', 'authority_denied', 'daily_cap_exceeded', 'payout_expired'],
  idempotency: { kind: 'natural', key: ({ payout_id }) => payout_id, keepsProof: true },
  input: z.strictObject({ payout_id: PayoutId, idempotency_key: IdempotencyKey }),
  output: PayoutAnswer,
  precondition: ({ payout_id }, context, paid) =>
    context.payouts.checkExecutable(callerIn(context).wallet, payout_id, paid),
  handle: async ({ payout_id }, context) => {
    const pending = await context.payouts.execute(callerIn(context).wallet, payout_id, context)
    return pending === undefined
      ? answeredByWorkflow
      : { status: 202, body: pending, grantUsed: true }
  },
})

const shared = {
  access: 'wallet',
  http: { method: 'POST', path: '/api/payout-callback', host: 'base' },
  output: z
    .strictObject({
      callback_url: z.string().nullable(),
      changed_at: Time.nullable(),
      host_proven: z.boolean().meta({
        description: 'Whether the host has echoed our nonce; asked for before the first callback.',
      }),
    })
    .meta({ id: 'PayoutCallback' }),
} as const

/** POST /api/payout-callback, mode `set_callback`: one URL for all payouts of the calling wallet. */
const setPayoutCallback = operation({
  id: 'payout-callback-set',
  summary:
    'Set or remove the URL that is called when a payout of your wallet is executed, final or dead.',
  ...shared,
  errors: ['callback_refused', 'control_denied', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('set_callback'),
    callback_url: CallbackUrl.nullable().meta({ description: 'null: no callbacks.' }),
  }),
  handle: async ({ callback_url }, context) => ({
    body: await context.payoutCallbacks.set(callerIn(context).wallet, callback_url, context.callId),
  }),
})

/** POST /api/payout-callback, mode `read_callback`. */
const readPayoutCallback = operation({
  id: 'payout-callback-read',
  summary: 'Read where payouts of your wallet are called back.',
  ...shared,
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_callback') }),
  handle: async (_input, context) => ({
    body: await context.payoutCallbacks.read(callerIn(context).wallet),
  }),
})

/** POST /api/payout-challenge: stateless, with a fresh nonce each time. */
const payoutChallenge = operation({
  id: 'payout-challenge',
  summary:
    'Get what a treasury holder has to sign for one exact payout: a challenge and a signed checkout. Changes nothing.',
  http: { method: 'POST', path: '/api/payout-challenge', host: 'base' },
  access: 'public',
  errors: ['holder_unknown'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ holder_wallet: Address, request_sha256: Digest }),
  output: z
    .looseObject({
      challenge_token: z.string(),
      checkout_jwt: z.string(),
      checkout_hash: z.string(),
      nonce: z.string(),
      audience: z.string(),
      holder_binding: z
        .unknown()
        .meta({ description: 'What to sign for holder bindings 1 and 2.' }),
      expires_at: z.int().meta({ description: 'Unix seconds.' }),
    })
    .meta({ id: 'PayoutChallenge' }),
  handle: async (input, context) => ({
    body: await context.authority.challenge(input),
  }),
})

const exactlyOne = [{ required: ['payout_id'] }, { required: ['idempotency_key'] }]

/** POST /api/payout-status: the creator reads; nothing is submitted or reconciled. */
export const payoutStatus = operation({
  id: 'payout-status',
  summary:
    'Read a payout and its receipts by its id or by the idempotency key it was created with; with Prefer: wait=20 the answer comes with its next change.',
  http: { method: 'POST', path: '/api/payout-status', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  errors: ['not_found'],
  idempotency: { kind: 'read' },
  input: z
    .strictObject({ payout_id: PayoutId.optional(), idempotency_key: IdempotencyKey.optional() })
    .refine(
      ({ payout_id, idempotency_key }) =>
        (payout_id === undefined) !== (idempotency_key === undefined),
      {
        message: 'give exactly one of payout_id and idempotency_key',
      },
    )
    .meta({ oneOf: exactlyOne }),
  output: PayoutAnswer,
  handle: async ({ payout_id, idempotency_key = '' }, context) => {
    const by = payout_id === undefined ? { idempotency_key } : { payout_id }
    return { body: await context.payouts.read(callerIn(context).wallet, by) }
  },
  next: (_input, context, { read, ms }) => context.payouts.next(callerIn(context).wallet, read, ms),
})

/** The payout rail. */
export const payouts = [
  createPayout,
  payoutChallenge,
  authorizePayout,
  executePayout,
  payoutStatus,
  setPayoutCallback,
  readPayoutCallback,
] as const
