import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { type Clearing, type ClearingAsked, clear } from '#domain/runs/clearing.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { priceOf } from '../../../activities/store/credit/quotes.ts'
import { findLiveOf } from '../../../activities/store/payments/payment-references.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { latestEvent } from '../../../activities/store/runs/agent-runs.ts'
import {
  type ClearingRow,
  countWaitingOf,
  findClearing,
  insertClearing,
  latestClearing,
} from '../../../activities/store/runs/clearings.ts'
import { findReturnPackage } from '../../../activities/store/runs/runs.ts'
import { liveContract } from '../../../activities/store/tasks/contracts.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { writeTaskReceipt } from '../../../activities/tasks/receipt.ts'
import { type PackageDeps, packageFaults } from '../commerce/evidence.ts'
import type { Samples } from '../receipts/sample.ts'
import { owns, type TaskCaller } from '../tasks/access.ts'
import { contractOf } from '../tasks/contract-terms.ts'
import { clearingView } from './clearing-view.ts'
import { completionOf } from './completion.ts'
import { ownRun } from './own-run.ts'
import { sampleClearing } from './sample-clearing.ts'
import type { SamplePackage, SamplePackages } from './sample-packages.ts'

/** Decision: so many clearings of one agent wait for a person at once. */
const WAITING_MAX = 25

type Verified = Awaited<ReturnType<typeof verify>>
type Deps = TaskDeps &
  PackageDeps & { readonly samples: Samples; readonly samplePackages: SamplePackages }
type Call = { caller: TaskCaller; runId: string; asked: ClearingAsked; callId: string }

/** Whether a run may be relied on, decided from its records at one head of its ledger. Nothing moves. */
export class ClearingService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** The clearing of the sample of packetops. */
  sample() {
    const sold = { rail: 'packetops', tier: 'standard' } as const
    return this.deps.samples.once('clearing', async () => {
      const { items } = await this.deps.samplePackages.page(sold, { offset: 0, limit: 1 })
      return sampleClearing(this.deps, items[0] as SamplePackage)
    })
  }

  /** 404 for an unknown clearing and for one of another caller. */
  read(caller: TaskCaller, of: { clearing_id: string } | { run_id: string }) {
    return transaction(this.deps.db, async (tx) => {
      const row =
        'run_id' in of
          ? await latestClearing(tx, (await ownRun(tx, caller, of.run_id)).task_id)
          : await ownClearing(tx, caller, of.clearing_id)
      if (row === undefined) throw refuse('not_found', { detail: 'the run was not cleared yet' })
      return clearingView(tx, row)
    })
  }

  /** One clearing for each ledger head and state of the payment: a repeat gets it; 422 `idempotency_conflict` for other terms. */
  async run({ caller, runId, asked, callId }: Call) {
    const { db } = this.deps
    const task = await transaction(db, (tx) => ownRun(tx, caller, runId))
    const verified = await verify(this.deps, runId)
    const call = { callId, subject: task.task_id, status: 201 }
    return answerOnce(this.deps, call, async (tx) =>
      clearingView(tx, await this.#clear(tx, await ownRun(tx, caller, runId), { asked, verified })),
    )
  }

  async #clear(
    tx: Tx,
    task: TaskRow,
    { asked, verified }: { asked: ClearingAsked; verified: Verified },
  ): Promise<ClearingRow> {
    const { task_id, head_hash } = task
    const read = await recordsOf(tx, task, { asked, verified })
    const payment_state = read.facts.payment?.state ?? 'none'
    const named = { type: 'service.clearing.v1', task_id, head_hash, payment_state }
    const clearing_id = `cl_${digestOf(named)}`
    const asked_sha256 = digestOf(asked)
    const known = await findClearing(tx, clearing_id)
    if (known !== undefined && known.asked_sha256 !== asked_sha256)
      throw refuse('idempotency_conflict', {
        detail: 'the run was cleared at this head of its ledger under other terms',
        next_action:
          'Read that clearing; other terms need another state of the run or its payment.',
        extra: { clearing_id },
      })
    if (known !== undefined) return known
    const made = clear(read.facts)
    const waits = made.decision === 'human_review' && task.usage === 'operational'
    if (waits) await assertMayWait(tx, task.agent_id)
    const envelope = { ...read.envelope, usage: task.usage, task_state: task.state }
    const sealed = { ...envelope, envelope_sha256: digestOf({ ...envelope, checks: made.checks }) }
    return insertClearing(tx, {
      clearing_id,
      task_id,
      agent_id: task.agent_id,
      ledger_head: head_hash,
      payment_state,
      asked_sha256,
      asked: JSON.stringify(asked),
      envelope: JSON.stringify(sealed),
      checks: JSON.stringify(made.checks),
      payment_reference_id: read.payment_reference_id,
      proof_state: made.proofState,
      decision: made.decision,
      receipt_id: await this.#sign(tx, task, { made, sealed, clearing_id, asked_sha256 }),
      review_state: waits && task.agent_id !== null ? 'waiting' : null,
      made_at: new Date(Math.floor(read.facts.now) * 1000),
    })
  }

  /** The receipt holds no text of the caller. */
  async #sign(
    tx: Tx,
    task: TaskRow,
    {
      made,
      sealed,
      ...ids
    }: {
      made: Clearing
      sealed: { envelope_sha256: string; usage_receipt_id: string | null; ledger_head: string }
      clearing_id: string
      asked_sha256: string
    },
  ): Promise<string> {
    const { envelope_sha256, usage_receipt_id, ledger_head } = sealed
    const facts = {
      ...ids,
      run_id: runIdOf(task.task_id),
      ledger_head,
      envelope_sha256,
      usage_receipt_id,
      proof_state: made.proofState,
      clearing_decision: made.decision,
      money_movement: false,
    }
    const about = { task, subject: ids.clearing_id, kind: 'clearing', facts }
    return receiptId(await writeTaskReceipt(this.deps, tx, about))
  }
}

/** The package of a run, computed again outside the transaction: it never changes. */
async function verify(deps: PackageDeps, runId: string) {
  const made = await findReturnPackage(deps.db, runId)
  if (made === undefined) return undefined
  const { return_package_id, partial, manifest_sha256, proof_hash, made_at } = made
  const faults = await packageFaults(deps, made)
  const facts = { partial, faults, madeAt: made_at.getTime() / 1000 }
  return { return_package_id, manifest_sha256, proof_hash, facts }
}

/** The records behind a clearing, all read under the lock of the task. */
async function recordsOf(
  tx: Tx,
  task: TaskRow,
  { asked, verified }: { asked: ClearingAsked; verified: Verified },
) {
  const run_id = runIdOf(task.task_id)
  const made = await findReturnPackage(tx, run_id)
  if (made?.return_package_id !== verified?.return_package_id)
    throw refuse('contention', { detail: 'the run made its package just now' })
  const { entitlement_id } = task
  const credit = entitlement_id === null ? undefined : await findEntitlement(tx, entitlement_id)
  const payment = entitlement_id === null ? undefined : await findLiveOf(tx, entitlement_id)
  const issued = await latestEvent(tx, task.task_id, 'receipts_issued')
  const charged = issued?.data['usage_receipt_id']
  const usage_receipt_id = typeof charged === 'string' ? charged : null
  const settlement_receipt_id = credit?.settlement_receipt_id ?? null
  const { obligation, policy_scope: scope } = asked
  const agreed = await agreedOf(tx, task)
  const facts = {
    usage: task.usage,
    rail: task.rail,
    state: task.state,
    failed: task.state === 'failed' || (task.state === 'closed' && issued === undefined),
    priceUsd: await priceOf(tx, task.quote_id),
    package: verified?.facts ?? null,
    receipts: { settlement: settlement_receipt_id !== null, usage: usage_receipt_id !== null },
    payment: payment === undefined ? null : { state: payment.state, amountUsd: payment.amount_usd },
    obligation: {
      statement: obligation.statement,
      amountUsd: obligation.amount_usd,
      dueAt: obligation.due_at === null ? null : Date.parse(obligation.due_at) / 1000,
    },
    promised: agreed?.promised ?? null,
    policy: {
      rails: scope.rails,
      maxUsd: scope.amount_usd_max,
      limitsData: scope.data !== null,
    },
    now: await clockSeconds(tx),
  }
  const envelope = {
    run_id,
    ledger_head: task.head_hash,
    ledger_entries: task.sequence,
    contract_id: agreed?.contract_id ?? null,
    terms_sha256: agreed?.terms_sha256 ?? null,
    return_package_id: verified?.return_package_id ?? null,
    manifest_sha256: verified?.manifest_sha256 ?? null,
    proof_hash: verified?.proof_hash ?? null,
    settlement_receipt_id,
    usage_receipt_id,
  }
  return { facts, envelope, payment_reference_id: payment?.payment_reference_id ?? null }
}

/** The contract that was accepted for a run, with its promises and the judgements of its criteria. */
async function agreedOf(tx: Tx, task: TaskRow) {
  const contract = await liveContract(tx, task.task_id)
  const terms = contract?.accepted_at ? await contractOf(tx, task.task_id) : undefined
  if (contract === undefined || terms === undefined) return undefined
  const { contract_id, terms_sha256 } = contract
  const { criteria } = await completionOf(tx, task)
  // The criteria of the contract follow the checks of the validator.
  const own = criteria.slice(criteria.length - terms.acceptance_criteria.length)
  return {
    contract_id,
    terms_sha256,
    promised: { by: contract_id, scope: terms.scope, criteria: own },
  }
}

async function ownClearing(tx: Tx, caller: TaskCaller, clearingId: string): Promise<ClearingRow> {
  const row = await findClearing(tx, clearingId)
  if (row !== undefined && owns(caller, await requireTask(tx, row.task_id))) return row
  throw refuse('not_found', { detail: 'no clearing of yours has this id' })
}

async function assertMayWait(tx: Tx, agentId: string | null): Promise<void> {
  if (agentId === null) return
  await lockSubject(`clearing:${agentId}`).run(tx)
  if ((await countWaitingOf(tx, agentId)) < WAITING_MAX) return
  throw refuse('rate_limited', {
    detail: `${WAITING_MAX} clearings of this agent wait for a person`,
    retry_after_ms: 600_000,
  })
}
