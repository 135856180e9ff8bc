import type { Kysely } from 'kysely'
import { packClaims } from '#domain/reviews/audit-pack.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import {
  findReceipt,
  listReceipts,
  type Signer,
} from '../../../activities/store/receipts/receipts.ts'
import type { ReviewDecisionRow } from '../../../activities/store/reviews/review-decisions.ts'
import {
  listDecidedTasks,
  listDecisions,
  subjectsOfTask,
} from '../../../activities/store/runs/audit-pack.ts'
import { listStepTimes } from '../../../activities/store/runs/runs.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { TaskRow } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { ownRun } from '../runs/own-run.ts'

type Deps = {
  db: Kysely<Database>
  issuer: string
  sign: Signer<Record<string, unknown>>
}
export type PackAsked = {
  from?: string | undefined
  to?: string | undefined
  run_id?: string | undefined
  decided_by?: string | undefined
}

/** Signed packs of what operators decided, and of the loops, ledgers and receipts that it is about. */
export class AuditPackService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** A page of decisions with everything that they are about, as it is now; 404 for an unknown run. */
  read(asked: PackAsked, { offset, limit }: { offset: number; limit: number }) {
    const { db, issuer, sign } = this.deps
    return transaction(db, async (tx) => {
      const { rows, total } = await listDecisions(tx, await filterOf(tx, asked), { offset, limit })
      const page = { offset, limit, total }
      const parts = { decisions: rows.map(decisionView), ...(await aboutOf(tx, rows)) }
      const iat = Math.floor(await clockSeconds(tx))
      const claims = packClaims({ asked, page, parts }, { issuer, iat })
      const { jws } = await (await sign(tx))(claims)
      return { ...parts, ...page, pack_sha256: claims.sub, jws }
    })
  }
}

async function filterOf(tx: Tx, { from, to, run_id, decided_by: decidedBy }: PackAsked) {
  const time = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  const subjects =
    run_id === undefined ? undefined : await subjectsOfTask(tx, await ownRun(tx, {}, run_id))
  return { from: time(from), to: time(to), decidedBy, subjects }
}

const decisionView = (row: ReviewDecisionRow) => ({
  decision_id: row.decision_id,
  subject_kind: row.subject_kind,
  subject_id: row.subject_id,
  decision: row.decision,
  note: row.note,
  decided_by: { operator_id: row.operator_id, operator_name: row.operator_name },
  waiting_since: row.waiting_since.toISOString(),
  decided_at: row.decided_at.toISOString(),
  evidence_root_sha256: row.evidence_root_sha256,
  receipt_id: row.receipt_id,
})

/** The tasks that the decisions are about: their loops, the heads of their ledgers, and the receipts of all. */
async function aboutOf(tx: Tx, decisions: readonly ReviewDecisionRow[]) {
  const tasks = await listDecidedTasks(
    tx,
    decisions.map(({ subject_id }) => subject_id),
  )
  const loops = []
  const found = []
  for (const { receipt_id } of decisions) found.push(await findReceipt(tx, { receipt_id }))
  for (const task of tasks) {
    const run_id = runIdOf(task.task_id)
    const steps = await listStepTimes(tx, run_id)
    if (steps.length > 0) loops.push({ run_id, task_id: task.task_id, steps: steps.map(stepView) })
    found.push(...(await listReceipts(tx, run_id)), ...(await listReceipts(tx, task.task_id)))
  }
  const receipts = found.filter((row) => row !== undefined)
  return {
    loops,
    ledger_heads: tasks.map(headView),
    receipts: receipts.map(({ receipt_id, kind, subject, jws }) => ({
      receipt_id,
      kind,
      subject,
      jws,
    })),
  }
}

const stepView = (step: Awaited<ReturnType<typeof listStepTimes>>[number]) => ({
  attempt: step.attempt,
  round: step.round,
  step: step.step,
  verdict: step.verdict,
  output_sha256: step.output_sha256,
  decided_by: step.decided_by,
  finished_at: step.finished_at?.toISOString() ?? null,
})

const headView = ({ task_id, state, sequence, head_hash, review_decision }: TaskRow) => ({
  task_id,
  state,
  entries: sequence,
  head_hash,
  review_decision,
})
