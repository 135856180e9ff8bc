import type { Kysely } from 'kysely'
import type { TrustLimits } from '#domain/agents/trust-limits.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { reviewWait } from '#domain/core/wait.ts'
import type { Decision, SubjectKind } from '#domain/reviews/review.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import { appendReceipt } from '../../../activities/store/payouts/receipts.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { insertDecision } from '../../../activities/store/tasks/review-decisions.ts'
import type { Issuing } from '../agents/deps.ts'
import type { ConsoleFilter, EvidenceLink, ReviewSubject, WaitingSubject } from './subject.ts'

const SUMMARY_MAX = 3_000

export type ReviewDeps = Issuing & {
  db: Kysely<Database>
  subjects: readonly ReviewSubject[]
  /** The addresses of the service's hosts. */
  hosts: Readonly<Record<'base' | 'os', string>>
  /** Notifies the workflow of a task to read its row; 503 where it cannot be reached. */
  wakeTask(taskId: string): Promise<void>
}
export type Reviewer = { operatorId: string; name: string; idempotencyKey: string }
export type ReviewInput = {
  subject_kind: SubjectKind
  subject_id: string
  decision: Decision
  note: string
  waiting_since?: string | undefined
  limits?: TrustLimits | undefined
  evidence_seen_sha256: string[]
}
export type ConsoleQuery = ConsoleFilter & {
  kind?: SubjectKind | undefined
  offset: number
  limit: number
}

/** Human decisions: what waits for one, and the recording of a decision with its receipt. */
export class ReviewService {
  readonly #deps: ReviewDeps

  constructor(deps: ReviewDeps) {
    this.#deps = deps
  }

  async list({ kind, offset, limit, ...filter }: ConsoleQuery) {
    const subjects = this.#deps.subjects.filter(
      (subject) => kind === undefined || subject.kind === kind,
    )
    const waiting = await Promise.all(
      subjects.map((subject) => subject.list(this.#deps.db, filter, offset + limit)),
    )
    const counted = await Promise.all(
      subjects.map((subject) => subject.count(this.#deps.db, filter)),
    )
    const items = waiting
      .flat()
      .sort((one, other) => one.waiting_since.localeCompare(other.waiting_since))
    const counts = Object.fromEntries(
      subjects.map((subject, index) => [subject.kind, counted[index] ?? 0]),
    )
    const total = counted.reduce((sum, count) => sum + count, 0)
    return {
      items: items.slice(offset, offset + limit).map((item) => shown(this.#deps, item)),
      offset,
      limit,
      total,
      counts,
    }
  }

  async record(reviewer: Reviewer, input: ReviewInput, callId: string) {
    const subject = this.#deps.subjects.find(({ kind }) => kind === input.subject_kind)
    const tasks = (await subject?.tasksOf?.(this.#deps.db, input.subject_id)) ?? []
    // Nothing is decided for a task whose workflow cannot be reached.
    await Promise.all(tasks.map(this.#deps.wakeTask))
    const answer = await transaction(this.#deps.db, async (tx) => {
      const { operatorId: operator, idempotencyKey: idempotency_key } = reviewer
      const decisionId = `dec_${digestOf({ operator, idempotency_key })}`
      await claimGrant(tx, callId, decisionId)
      const decided = await decide(this.#deps, tx, { reviewer, input, decisionId })
      await answerCall(callId, decisionId, 200, decided).run(tx)
      return decided
    })
    // The decision is valid even if they cannot be notified now.
    await Promise.allSettled(tasks.map(this.#deps.wakeTask))
    return answer
  }
}

/** An item with the call that decides it, without control characters in its text. */
function shown({ hosts }: Pick<ReviewDeps, 'hosts'>, { gaps = [], ...item }: WaitingSubject) {
  const { subject_kind: kind, subject_id: id, waiting_since: since, allowed_decisions } = item
  const { waiting_for, action } = reviewWait(item.summary, { kind, id, since }, allowed_decisions)
  const urlOf = (link: EvidenceLink) => ('url' in link ? link.url : hosts[link.host] + link.path)
  const evidence_links = item.evidence_links.map(urlOf)
  const summary = oneLine(item.summary, SUMMARY_MAX)
  return { ...item, summary, evidence_links, waiting_for, gaps, required_action: action }
}

type Review = { reviewer: Reviewer; input: ReviewInput; decisionId: string }

async function decide(
  deps: ReviewDeps,
  tx: Tx,
  { reviewer, input, decisionId: decision_id }: Review,
) {
  const { subject_kind, subject_id, decision, note, limits, evidence_seen_sha256 } = input
  const subject = deps.subjects.find(({ kind }) => kind === subject_kind)
  if (subject === undefined)
    throw refuse('not_found', {
      detail: `no ${subject_kind} waits here`,
      next_action: 'Take the subject from the review console.',
    })
  let waited = new Date(0)
  const operator = { operatorId: reviewer.operatorId, name: reviewer.name }
  const decided = await subject.decide(
    tx,
    { subjectId: subject_id, decisionId: decision_id, decision, note, limits, operator },
    (since) => {
      waited = since
      if (input.waiting_since !== undefined && Date.parse(input.waiting_since) !== since.getTime())
        throw alreadyDecided()
    },
  )
  const seconds = await clockSeconds(tx)
  const decided_at = new Date(seconds * 1000)
  const who = { operator_id: reviewer.operatorId, operator_name: reviewer.name }
  const act = { decision_id, subject_kind, subject_id, decision, note }
  const facts = {
    ...act,
    ...who,
    limits: limits ?? null,
    evidence_seen_sha256,
    state: decided.state,
    at: decided_at.toISOString(),
  }
  const { issuer, environment, signReceipt } = deps
  const receipt = {
    subject: decision_id,
    kind: 'review_decision',
    usage: 'operational',
    environment,
    issuer,
    facts,
  }
  const jws = await appendReceipt(tx, signReceipt, receipt, Math.floor(seconds))
  const row = {
    ...act,
    ...who,
    waiting_since: waited,
    limits: limits ?? null,
    evidence_seen_sha256,
    decided_at,
  }
  await insertDecision(tx, { ...row, receipt_id: receiptId(jws) })
  return {
    review_decision: { ...act, decided_by: who, at: decided_at.toISOString() },
    subject: { subject_kind, subject_id, state: decided.state, view: decided.view },
    receipt: receiptView(jws),
  }
}

const alreadyDecided = () =>
  refuse('already_decided', {
    detail: 'it does not wait since then any more',
  })
