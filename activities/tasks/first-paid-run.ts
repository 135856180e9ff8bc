import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import {
  type FirstPaidRecords,
  judgeConditions,
  unmetOf,
} from '#domain/production/first-paid-run.ts'
import { COMPLETION_TYP, type MadePackage } from '#domain/runs/return-package.ts'
import { openFindings } from '#domain/verification/report.ts'
import { checkCompletion } from '#domain/verification/return-package.ts'
import { verifySigned } from '#domain/verification/signed.ts'
import { publishedKey } from '../keys/published-key.ts'
import { listPublicKeys } from '../store/keys/signing-keys.ts'
import { findLiveOf } from '../store/payments/payment-references.ts'
import type { Tx } from '../store/postgres/db.ts'
import {
  closeFirstPaidRun,
  type FirstPaidRunRow,
  findFirstPaidRun,
} from '../store/production/first-paid-runs.ts'
import { findProductionWrite } from '../store/production/production-writes.ts'
import { latestEvent } from '../store/runs/agent-runs.ts'
import { findReturnPackage, type ReturnPackageRow } from '../store/runs/runs.ts'
import { findTaskCredit } from '../store/tasks/task-credits.ts'
import { findDocument, type TaskRow } from '../store/tasks/tasks.ts'
import { findOrderOf, findWorkOrder } from '../store/work-orders/work-orders.ts'
import { hasCompleted } from './attestation.ts'
import type { TaskDeps } from './deps.ts'
import { writeTaskReceipt } from './receipt.ts'
import type { Transition } from './task-event.ts'

/** Computes the success conditions of a closed production run from its records, and stores them with a receipt. */
export async function closeProductionRun(
  deps: TaskDeps,
  tx: Tx,
  transition: Transition,
): Promise<void> {
  const { after, nowSeconds } = transition
  const run = await findFirstPaidRun(tx, after.task_id)
  if (run === undefined) return
  const conditions = judgeConditions({
    ...(await recordsOf(tx, run, after)),
    completed: await hasCompleted(tx, transition),
  })
  const reached = unmetOf(conditions).length === 0
  const { task_id, run_id } = after
  const facts = {
    task_id,
    run_id,
    customer_account_sha256: digestOf(run.customer_account),
    audit_event_id: run.audit_event_id,
    reached,
    conditions: conditions.map(({ condition, met, evidence_id }) => ({
      condition,
      met,
      evidence_id,
    })),
  }
  const jws = await writeTaskReceipt(deps, tx, {
    task: after,
    subject: run.audit_event_id,
    kind: 'production_run',
    facts,
    nowSeconds,
  })
  await closeFirstPaidRun(tx, task_id, { conditions, reached, receipt_id: receiptId(jws) })
}

async function recordsOf(
  tx: Tx,
  run: FirstPaidRunRow,
  task: TaskRow,
): Promise<Omit<FirstPaidRecords, 'completed'>> {
  const write = await findProductionWrite(tx, run.audit_event_id)
  const made = task.run_id === null ? undefined : await findReturnPackage(tx, task.run_id)
  return {
    customer: {
      ordered: run.customer_account,
      accepted: await acceptedAccount(tx, task.task_id),
      contractId: task.contract_id,
    },
    workOrder: await orderOf(tx, task.task_id),
    payment: await paymentOf(tx, task),
    write: { auditEventId: run.audit_event_id, tool: write?.tool ?? null },
    usageReceiptId: (await findTaskCredit(tx, task.task_id))?.usage_receipt_id ?? null,
    ...(made === undefined ? { package: null, signed: null } : await deliveredBy(tx, made)),
  }
}

/** The customer account that the contract was accepted for. */
async function acceptedAccount(tx: Tx, taskId: string): Promise<string | null> {
  const accepted = (await latestEvent(tx, taskId, 'contract_accepted'))?.data
  const sha256 = accepted?.['acceptance_sha256']
  const acceptance = typeof sha256 === 'string' && (await findDocument(tx, taskId, sha256))
  const { customer_account } = Object(acceptance) as { customer_account?: unknown }
  return typeof customer_account === 'string' ? customer_account : null
}

async function orderOf(tx: Tx, taskId: string): Promise<FirstPaidRecords['workOrder']> {
  const work_order_id = await findOrderOf(tx, taskId)
  const order = work_order_id && (await findWorkOrder(tx, { work_order_id }))
  return order ? { id: order.work_order_id, decision: order.decision } : null
}

async function paymentOf(
  tx: Tx,
  { entitlement_id }: TaskRow,
): Promise<FirstPaidRecords['payment']> {
  const paid = entitlement_id === null ? undefined : await findLiveOf(tx, entitlement_id)
  if (paid === undefined) return null
  const { payment_reference_id: id, state, settlement_receipt_id: settlementReceiptId } = paid
  return { id, state, settlementReceiptId }
}

async function deliveredBy(
  tx: Tx,
  row: ReturnPackageRow,
): Promise<Pick<FirstPaidRecords, 'package' | 'signed'>> {
  const { result } = row.package as MadePackage
  const keys = (await listPublicKeys(tx)).filter(({ ring }) => ring === 'receipt').map(publishedKey)
  const findings = openFindings()
  const signed = verifySigned(row.completion_signature, COMPLETION_TYP, { keys })
  const completion = checkCompletion(findings, signed)
  const { checks, keys: signers } = findings.report()
  const [signer] = signers
  const faultOf = (name: string): string | null => {
    const found = checks.find(({ check }) => check === name)
    if (found?.ok !== true) return found?.detail ?? 'it was not verified'
    return signer?.standing === 'revoked' ? 'its key was revoked' : null
  }
  return {
    package: {
      id: row.return_package_id,
      proofHash: row.proof_hash,
      resultIsSigned: completion?.result_sha256 === digestOf(result),
    },
    signed: {
      kid: signer?.kid ?? null,
      proofHash: completion?.proof_hash ?? null,
      signatureFault: faultOf('completion signature'),
      proofFault: faultOf('proof hash'),
    },
  }
}
