import { z } from 'zod'
import { controlScopes } from '#domain/payouts/controls.ts'
import { hardeningControls } from '#domain/production/hardening.ts'
import { callerIn } from '../caller.ts'
import { freeText, IdempotencyKey, Time, text } from '../fields.ts'
import { operation } from '../operation.ts'
import { Receipt } from '../shapes/receipts.ts'

const Exception = z
  .strictObject({
    exception_id: z.string().regex(/^ex_[0-9a-f]{64}$/),
    code: z.string(),
    subject: z.string(),
    state: z.enum(['open', 'closed']),
    evidence: z
      .looseObject({})
      .meta({ description: 'Both sides as they were seen: stored and found.' }),
    seen: z
      .boolean()
      .meta({ description: 'Whether the last reconciliation still saw the difference.' }),
    first_seen_at: Time,
    last_seen_at: Time,
    closed_at: Time.nullable(),
    closed_by: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ReconciliationException' })

/** GET /api/operator/reconciliation: the signed statement of a day, the last run, and the open exceptions. */
const reconciliation = operation({
  id: 'reconciliation',
  summary:
    'Read the signed daily statement, the last reconciliation, and the exceptions that are open, newest first.',
  http: { method: 'GET', path: '/api/operator/reconciliation', host: 'base' },
  access: 'operator',
  errors: ['not_found'],
  input: z.strictObject({
    day: z.iso
      .date()
      .optional()
      .meta({ description: 'A day in UTC; the latest statement unless given.' }),
  }),
  output: z
    .strictObject({
      day: z.string().nullable(),
      statement: z.looseObject({}).nullable().meta({ description: 'The claims of `jws`.' }),
      jws: z
        .string()
        .nullable()
        .meta({ description: 'Compact JWS, typ statement+jwt, signed by the receipt ring.' }),
      last_run: z
        .strictObject({
          reconciliation_id: z.string(),
          scope: z.enum(['changed', 'all']),
          from_block: z.int(),
          through_block: z.int(),
          compared: z.int(),
          differences: z.int(),
          started_at: Time,
          completed_at: Time.nullable(),
        })
        .nullable(),
      exceptions: z.array(Exception),
    })
    .meta({ id: 'Reconciliation' }),
  handle: async ({ day }, context) => ({
    body: await context.reconciliation.read(day),
  }),
})

/** POST /api/operator/reconciliation, mode `close_exception`: what differs is not touched, and the receipt says who closed it and why. */
const closeException = operation({
  id: 'close-exception',
  summary:
    'Close an exception of reconciliation with a reason; answers with a signed receipt. Nothing is repaired.',
  http: { method: 'POST', path: '/api/operator/reconciliation', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('close_exception'),
    exception_id: z.string().regex(/^ex_[0-9a-f]{64}$/),
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ exception: Exception, receipt: Receipt })
    .meta({ id: 'ClosedException' }),
  handle: async ({ exception_id, reason }, context) => ({
    body: await context.reconciliation.close(
      callerIn(context).namedOperator,
      { exception_id, reason },
      context.callId,
    ),
  }),
})

const Control = z
  .strictObject({
    control: z.enum(hardeningControls),
    state: z.enum(['on', 'off', 'stale']),
    measured_at: Time,
    detail: z.string(),
    read: z
      .array(z.string())
      .min(1)
      .meta({ description: 'The settings, tables or registry that show it.' }),
  })
  .meta({ id: 'HardeningControl' })

/** GET /api/os-security-hardening: nothing is ticked off; each call reads what stands. */
const hardeningRead = operation({
  id: 'hardening-read',
  summary:
    'Read whether each control of the service is on, off or stale, as its registry, settings and records show it now.',
  http: { method: 'GET', path: '/api/os-security-hardening', host: 'base' },
  access: 'public',
  output: z
    .strictObject({ controls: z.array(Control).length(hardeningControls.length) })
    .meta({ id: 'Hardening' }),
  handle: async (_input, context) => ({ body: await context.hardening.read() }),
})

const OperatorId = z.string().regex(/^[0-9a-f]{16}$/)

/** An operator's credential, without its secret. */
const Operator = z
  .strictObject({
    operator_id: OperatorId,
    name: z.string(),
    created_at: Time,
    revoked_at: Time.nullable(),
  })
  .meta({ id: 'Operator' })

/** GET /api/operator/credentials: every operator's credential, oldest first. */
const listOperators = operation({
  id: 'operators-list',
  summary: 'List the credentials of operators; answers with a signed receipt.',
  http: { method: 'GET', path: '/api/operator/credentials', host: 'base' },
  access: 'operator',
  output: z
    .strictObject({ operators: z.array(Operator), receipt: Receipt })
    .meta({ id: 'Operators' }),
  handle: async (_input, context) => ({
    body: await context.operators.list(callerIn(context).operator),
  }),
})

/** POST /api/operator/credentials, mode `revoke_operator`: the credential is refused with the next call. */
const revokeOperator = operation({
  id: 'operators-revoke',
  summary: "Revoke an operator's credential; answers with a signed receipt.",
  http: { method: 'POST', path: '/api/operator/credentials', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'wrong_state', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('revoke_operator'),
    operator_id: OperatorId,
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z.strictObject({ operator: Operator, receipt: Receipt }).meta({ id: 'RevokedOperator' }),
  handle: async ({ operator_id, reason }, context) => ({
    body: await context.operators.revoke(
      callerIn(context).namedOperator,
      { operator_id, reason },
      context.callId,
    ),
  }),
})

/** POST /api/os-security-hardening: stops new reservations, quotes and runs; what has begun continues. */
const setPause = operation({
  id: 'pause-set',
  summary:
    'Pause or resume everything, the payout rail, one wallet, payout, rail or agent; answers with a signed receipt.',
  http: { method: 'POST', path: '/api/os-security-hardening', host: 'base' },
  access: 'operator',
  errors: ['not_found', 'forbidden_material'],
  input: z.strictObject({
    scope: z.enum(controlScopes),
    target: text(0, 80).optional(),
    paused: z.boolean(),
    reason: freeText(500, 1),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({
      control: z.strictObject({
        scope: z.enum(controlScopes),
        target: z.string().nullable(),
        paused: z.boolean(),
        reason: z.string(),
        operator: z.strictObject({ operator_id: z.string(), name: z.string() }),
        changed_at: Time,
      }),
      affected: z.strictObject({ tasks: z.int(), payouts: z.int() }),
      receipt: Receipt,
    })
    .meta({ id: 'ControlChange' }),
  handle: async ({ idempotency_key, ...input }, context) => {
    const actor = { ...callerIn(context).namedOperator, idempotencyKey: idempotency_key }
    return { body: await context.controls.set(actor, input, context.callId) }
  },
})

/** What operators do to the running service. */
export const operators = [
  hardeningRead,
  setPause,
  reconciliation,
  closeException,
  listOperators,
  revokeOperator,
] as const
