import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { type ControlScope, controlTarget } from '#domain/payouts/controls.ts'
import { type ReceiptView, receiptView } from '../keys/receipt-view.ts'
import { findAgent } from '../store/agents/agents.ts'
import { answerCall, claimGrant } from '../store/calls/calls.ts'
import {
  type ControlChange,
  countCovered,
  countHeldTasks,
  findControlChange,
  lockSwitches,
  writeControl,
} from '../store/operators/controls.ts'
import { readPayout } from '../store/payouts/payouts.ts'
import { clockSeconds, type Tx, transaction } from '../store/postgres/db.ts'
import { findReceipt, issueReceipt, type ReceiptSigner } from '../store/receipts/receipts.ts'
import type { Database } from '../store/schema/schema.ts'

export type ControlInput = {
  scope: ControlScope
  target?: string | undefined
  paused: boolean
  reason: string
}
/** The operator, and the key that makes a repeat the same change. */
export type ControlActor = { operatorId: string; name: string; idempotencyKey: string }
/** The issuer of receipts for changes of switches. */
export type ControlDeps = { issuer: string; environment: string; signReceipt: ReceiptSigner }

export type ControlAnswer = {
  control: {
    scope: ControlScope
    target: string | null
    paused: boolean
    reason: string
    operator: { operator_id: string; name: string }
    changed_at: string
  }
  affected: { tasks: number; payouts: number }
  receipt: ReceiptView
}

/** The switches of operators: a change, its answer and the use of its call are one transaction. */
export function openControls(deps: ControlDeps & { db: Kysely<Database> }) {
  return {
    set: (actor: ControlActor, input: ControlInput, callId: string): Promise<ControlAnswer> =>
      transaction(deps.db, async (tx) => {
        await claimGrant(tx, callId, changeIdOf(actor))
        const answer = await setControl(deps, tx, actor, input)
        await answerCall(callId, changeIdOf(actor), 200, answer).run(tx)
        return answer
      }),
  }
}

/**
 * Pauses or resumes in the caller's transaction: writes the switch, its history and a signed receipt with the operator's name. After
 * a committed pause no transfer is reserved and no run begins; what has begun continues. Throws 400 for an invalid target and 404
 * for an unknown payout or agent.
 */
export async function setControl(
  deps: ControlDeps,
  tx: Tx,
  actor: ControlActor,
  input: ControlInput,
): Promise<ControlAnswer> {
  const target = controlTarget(input.scope, input.target)
  const { scope } = input
  if (scope === 'payout' && (await readPayout(tx, target)) === undefined)
    throw refuse('not_found', { detail: 'no such payout', next_action: 'Check the payout id.' })
  if (scope === 'agent' && (await findAgent(tx, target)) === undefined)
    throw refuse('not_found', { detail: 'no such agent', next_action: 'Check the agent id.' })
  const payouts = await countCovered(tx, scope, target)
  const tasks = await countHeldTasks(tx, scope, target)
  await lockSwitches(tx)
  const change =
    (await findControlChange(tx, changeIdOf(actor))) ??
    (await appendChange(deps, tx, actor, { ...input, target }))
  const receipt = await findReceipt(tx, { receipt_id: change.receipt_id })
  if (receipt === undefined) throw new Error(`${change.change_id} has no receipt`)
  return {
    control: controlView(change),
    affected: { tasks, payouts },
    receipt: receiptView(receipt.jws),
  }
}

const changeIdOf = ({ operatorId, idempotencyKey }: ControlActor): string =>
  `ctl_${digestOf({ operator: operatorId, idempotency_key: idempotencyKey })}`

async function appendChange(
  deps: ControlDeps,
  tx: Tx,
  actor: ControlActor,
  { scope, target, paused, reason }: ControlInput & { target: string },
): Promise<ControlChange> {
  const seconds = await clockSeconds(tx)
  const switched = {
    change_id: changeIdOf(actor),
    scope,
    target,
    paused,
    reason,
    changed_at: new Date(seconds * 1000),
  }
  const operator = { operator_id: actor.operatorId, operator_name: actor.name }
  const facts = {
    scope,
    target: target || null,
    paused,
    reason,
    ...operator,
    at: switched.changed_at.toISOString(),
  }
  const about = { subject: switched.change_id, kind: 'control_change', usage: 'operational', facts }
  const jws = await issueReceipt(deps, tx, { ...about, nowSeconds: seconds })
  const change = { ...switched, ...operator, receipt_id: receiptId(jws) }
  await writeControl(tx, change)
  return change
}

const controlView = (change: ControlChange): ControlAnswer['control'] => ({
  scope: change.scope,
  target: change.target || null,
  paused: change.paused,
  reason: change.reason,
  operator: { operator_id: change.operator_id, name: change.operator_name },
  changed_at: change.changed_at.toISOString(),
})
