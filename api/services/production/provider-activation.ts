import type { Kysely } from 'kysely'
import { refuse } from '#domain/core/errors.ts'
import { type ActivationStep, activationSteps } from '#domain/payments/provider-activation.ts'
import { paymentOf } from '../../../activities/credit/returned-payments.ts'
import { latestDelivery } from '../../../activities/store/callbacks/callback-deliveries.ts'
import {
  findLiveOf,
  findReference,
  type ReferenceRow,
} from '../../../activities/store/payments/payment-references.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import { listDecisionsAbout } from '../../../activities/store/reviews/review-decisions.ts'
import { findTaskOfCredit } from '../../../activities/store/runs/agent-runs.ts'
import { findReturnPackage } from '../../../activities/store/runs/runs.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { listLedger, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { ownRun } from '../runs/own-run.ts'
import type { TaskCaller } from '../tasks/access.ts'

export type ActivationOf = { payment_reference_id: string } | { run_id: string }
type Done = { done_at: string; evidence_id: string }
type Steps = Partial<Record<ActivationStep, Done | undefined>>

/** The activation of a payment and its run: each step with its time and its evidence, and what an operator decided about the payment. */
export class ActivationService {
  readonly #db: Kysely<Database>

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  /** Throws 404 and 403 `not_owner`. */
  read(caller: TaskCaller, of: ActivationOf) {
    return transaction(this.#db, async (tx) => {
      const { reference, task } = await findParties(tx, caller, of)
      const done = { ...(await paymentSteps(tx, reference)), ...(await runSteps(tx, task)) }
      return {
        steps: activationSteps.map((step) => ({ step, ...(done[step] ?? notDone) })),
        operator_decision: await decisionOn(tx, reference),
      }
    })
  }
}

/** The last decision of an operator about the payment: it confirms what no provider does, and is no provider's confirmation. */
async function decisionOn(tx: Tx, reference: ReferenceRow | undefined) {
  if (reference === undefined) return null
  const last = (await listDecisionsAbout(tx, [reference.payment_reference_id])).at(-1)
  if (last === undefined) return null
  const { decision, decided_at, receipt_id } = last
  return { decision, decided_at: decided_at.toISOString(), receipt_id }
}

const notDone = { done_at: null, evidence_id: null }

/** A whole second, like the time of a receipt, so that no step seems earlier than the one that caused it. */
function doneAt(at: Date, evidence_id: string): Done {
  const done = new Date(Math.floor(at.getTime() / 1000) * 1000)
  return { done_at: done.toISOString(), evidence_id }
}

type Parties = { reference: ReferenceRow | undefined; task: TaskRow | undefined }

async function findParties(tx: Tx, caller: TaskCaller, of: ActivationOf): Promise<Parties> {
  if ('run_id' in of) {
    const task = await ownRun(tx, caller, of.run_id)
    return { reference: await findLive(tx, task.entitlement_id), task }
  }
  const reference = await findReference(tx, of.payment_reference_id)
  if (reference === undefined)
    throw refuse('not_found', {
      detail: 'no such payment reference',
      next_action: 'Present the payment first.',
    })
  if (reference.agent_id !== caller.agentId)
    throw refuse('not_owner', {
      detail: 'the payment belongs to another agent',
    })
  const { entitlement_id } = reference
  return {
    reference,
    task: entitlement_id === null ? undefined : await findTaskOfCredit(tx, entitlement_id),
  }
}

const findLive = async (tx: Tx, entitlementId: string | null) =>
  entitlementId === null ? undefined : findLiveOf(tx, entitlementId)

/** From the provider's event to the receipt; a payment that no provider confirms has no event. */
async function paymentSteps(tx: Tx, reference: ReferenceRow | undefined): Promise<Steps> {
  if (reference === undefined) return {}
  const { payment_reference_id, settlement_receipt_id: receipt_id, entitlement_id } = reference
  const { paid: event } = await paymentOf(tx, reference)
  // Every stored event was verified when it was received.
  const received = event && doneAt(event.received_at, event.event_id)
  const receipt = receipt_id === null ? undefined : await findReceipt(tx, { receipt_id })
  const issued = (evidence_id: string | null | undefined) =>
    receipt && evidence_id != null ? doneAt(receipt.issued_at, evidence_id) : undefined
  return {
    provider_event: received,
    webhook_verification: received,
    provider_confirmation: event && issued(payment_reference_id),
    credit_funding_event: issued(entitlement_id),
    settlement_receipt: issued(receipt?.receipt_id),
  }
}

async function runSteps(tx: Tx, task: TaskRow | undefined): Promise<Steps> {
  if (task === undefined) return {}
  const { task_id, run_id } = task
  const funded = (await listLedger(tx, task_id)).find(({ event }) => event === 'credit_funded')
  const made = run_id === null ? undefined : await findReturnPackage(tx, run_id)
  const delivery = await latestDelivery(tx, task_id, 'task_updated')
  return {
    run_eligibility: funded && doneAt(new Date(funded.at), funded.hash),
    result_contract: made && doneAt(made.made_at, made.return_package_id),
    callback:
      delivery?.finished_at == null || delivery.state !== 'delivered'
        ? undefined
        : doneAt(delivery.finished_at, delivery.delivery_id),
  }
}
