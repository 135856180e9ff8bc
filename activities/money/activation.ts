import type { Kysely } from 'kysely'
import { refuse } from '../../workflows/domain/errors.ts'
import { type ActivationStep, activationSteps } from '../../workflows/domain/provider-activation.ts'
import { ownRun } from '../runs/reading.ts'
import { findTaskOfCredit } from '../store/agent-runs.ts'
import { latestDelivery } from '../store/callback-deliveries.ts'
import { type Tx, transaction } from '../store/db.ts'
import { findLiveOf, findReference, type ReferenceRow } from '../store/payment-references.ts'
import { findSettled } from '../store/provider-events.ts'
import { findReceipt } from '../store/receipts.ts'
import { findReturnPackage } from '../store/runs.ts'
import type { Database } from '../store/schema.ts'
import { listLedger, type TaskRow } from '../store/tasks.ts'
import type { Asker } from '../tasks/reading.ts'

export type ActivationOf = { payment_reference_id: string } | { run_id: string }
type Shown = { done_at: string; evidence_id: string } | undefined

/** How far a payment and the run that it is for have come, each step with what shows it. 404, 403 `not_owner`. */
export function readActivation(db: Kysely<Database>, asker: Asker, of: ActivationOf) {
  return transaction(db, async (tx) => {
    const { reference, task } = await parties(tx, asker, of)
    const shown = { ...(await paid(tx, reference)), ...(await worked(tx, task)) }
    return activationSteps.map((step) => ({ step, ...(shown[step] ?? { done_at: null, evidence_id: null }) }))
  })
}

/** To the whole second, as a receipt tells its time, so that no step seems to come before the one that led to it. */
const shownAt = (at: Date, evidence_id: string): Shown => {
  const done = new Date(Math.floor(at.getTime() / 1000) * 1000)
  return { done_at: done.toISOString(), evidence_id }
}

type Parties = { reference: ReferenceRow | undefined; task: TaskRow | undefined }

async function parties(tx: Tx, asker: Asker, of: ActivationOf): Promise<Parties> {
  if ('run_id' in of) {
    const task = await ownRun(tx, asker, of.run_id)
    return { reference: await live(tx, task.entitlement_id), task }
  }
  const reference = await findReference(tx, of.payment_reference_id)
  if (reference === undefined) throw refuse('not_found', 'no such payment reference', 'Present the payment first.')
  if (reference.agent_id !== asker.agentId)
    throw refuse('not_owner', 'the payment is of another agent', 'Use the access key that presented it.')
  const { entitlement_id } = reference
  return { reference, task: entitlement_id === null ? undefined : await findTaskOfCredit(tx, entitlement_id) }
}

const live = async (tx: Tx, entitlementId: string | null) =>
  entitlementId === null ? undefined : findLiveOf(tx, entitlementId)

/** From the provider's word to the receipt; a payment that somebody else confirms has no event. */
async function paid(tx: Tx, reference: ReferenceRow | undefined): Promise<Partial<Record<ActivationStep, Shown>>> {
  if (reference === undefined) return {}
  const { payment_reference_id, settlement_receipt_id: receipt_id, entitlement_id } = reference
  const event = await findSettled(tx, payment_reference_id)
  // Only what is signed and in time is stored at all.
  const told = event && shownAt(event.received_at, event.event_id)
  const receipt = receipt_id === null ? undefined : await findReceipt(tx, { receipt_id })
  const by = (evidence_id: string | null | undefined): Shown =>
    receipt && evidence_id != null ? shownAt(receipt.issued_at, evidence_id) : undefined
  return {
    provider_event: told,
    webhook_verification: told,
    provider_confirmation: by(payment_reference_id),
    credit_funding_event: by(entitlement_id),
    settlement_receipt: by(receipt?.receipt_id),
  }
}

async function worked(tx: Tx, task: TaskRow | undefined): Promise<Partial<Record<ActivationStep, Shown>>> {
  if (task === undefined) return {}
  const { task_id, run_id } = task
  const funded = (await listLedger(tx, task_id)).find(({ event }) => event === 'credit_funded')
  const made = run_id === null ? undefined : await findReturnPackage(tx, run_id)
  const told = await latestDelivery(tx, task_id, 'task_updated')
  return {
    run_eligibility: funded && shownAt(new Date(funded.at), funded.hash),
    result_contract: made && shownAt(made.made_at, made.return_package_id),
    callback:
      told?.state === 'delivered' && told.finished_at !== null
        ? shownAt(told.finished_at, told.delivery_id)
        : undefined,
  }
}
