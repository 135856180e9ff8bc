import type { Kysely } from 'kysely'
import type { TrustLimits } from '#domain/agents/trust-limits.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import {
  type EvidenceManifest,
  hasSeen,
  type Judgement,
  judgeAll,
  judgementFault,
} from '#domain/reviews/evidence.ts'
import type { Decision, SubjectKind } from '#domain/reviews/review.ts'
import { reviewWait } from '#domain/reviews/wait.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import {
  clockSeconds,
  type Tx,
  transaction,
  tryOut,
} from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import {
  findDecision,
  insertDecision,
  isDecided,
} from '../../../activities/store/reviews/review-decisions.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { Issuing } from '../agents/deps.ts'
import {
  manifestOf,
  type ReadEvidence,
  shownEvidence,
  sliceOf,
  unknownSubject,
} from './evidence.ts'
import { type Outcome, outcomeOf } from './outcomes.ts'
import type { Revision } from './revise.ts'
import type { ConsoleFilter, EvidenceLink, ReviewSubject, WaitingSubject } from './subject.ts'
import { countWaiting } from './subjects.ts'

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
  contact_notified?: boolean | undefined
  evidence_seen_sha256: string[]
  judgements: Judgement[]
  revision?: Revision | undefined
}
export type BatchInput = Omit<
  ReviewInput,
  'subject_id' | 'evidence_seen_sha256' | 'limits' | 'contact_notified' | 'revision'
> & {
  items: { subject_id: string; evidence_root_sha256: string }[]
  /** Of runs of one rail; each run is proposed a corrected input on its own. */
  revision?: { parameters: Record<string, unknown> } | undefined
  dry_run: boolean
}
export type WaitingFilter = ConsoleFilter & { kind?: SubjectKind | undefined }
export type ConsoleQuery = WaitingFilter & { offset: number; limit: number }

/** Human decisions: what waits for one, and the recording of a decision with its receipt. */
export class ReviewService {
  private readonly deps: ReviewDeps

  constructor(deps: ReviewDeps) {
    this.deps = deps
  }

  async list({ offset, limit, ...filter }: ConsoleQuery) {
    const { waiting, counts } = await this.listWaiting(filter, offset + limit)
    const items = await Promise.all(
      waiting.slice(offset, offset + limit).map(({ describe }) => describe()),
    )
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { items, offset, limit, total, counts }
  }

  /** The first of what waits, longest first, each to be described, and the number of all by kind. */
  async listWaiting({ kind, ...filter }: WaitingFilter, most: number) {
    const { db, subjects } = this.deps
    const chosen = subjects.filter((subject) => kind === undefined || subject.kind === kind)
    const [lists, counted] = await Promise.all([
      Promise.all(chosen.map((subject) => subject.list(db, filter, most))),
      Promise.all(chosen.map((subject) => subject.count(db, filter))),
    ])
    const waiting = lists
      .flat()
      .sort((one, other) => one.since.getTime() - other.since.getTime())
      .slice(0, most)
      .map(({ since, describe }) => ({
        since,
        describe: async () => shown(this.deps, await describe()),
      }))
    const counts: Record<string, number> = Object.fromEntries(
      chosen.map((subject, index) => [subject.kind, counted[index] ?? 0]),
    )
    return { waiting, counts }
  }

  /** For each kind, how many subjects wait, and for how many seconds the oldest has waited. */
  waiting(): ReturnType<typeof countWaiting> {
    return countWaiting(this.deps.db, this.deps.subjects)
  }

  /** Everything that a decision about this subject is about, and a slice of one part; 404 for an unknown subject or part. */
  async evidence(subjectId: string, slice?: { name: string; offset: number }) {
    const read = await this.#evidenceOf(subjectId)
    const evidence_part = slice === undefined ? null : await sliceOf(this.deps.db, read, slice)
    return { evidence: shownEvidence(read), evidence_part }
  }

  /** The root digest of the evidence of a subject, and the digest of its acceptance criteria, for a batch. */
  async roots(subjectId: string) {
    const { manifest, found } = await this.#evidenceOf(subjectId)
    const criteria_sha256 = digestOf(found.content.criteria ?? [])
    return { evidence_root_sha256: manifest.root_sha256, criteria_sha256 }
  }

  async #evidenceOf(subjectId: string): Promise<ReadEvidence> {
    for (const { kind, evidence } of this.deps.subjects) {
      const found = await evidence(this.deps.db, subjectId)
      if (found !== undefined) return { manifest: manifestOf(kind, subjectId, found), found }
    }
    throw unknownSubject('no such subject')
  }

  async record(reviewer: Reviewer, input: ReviewInput, callId: string) {
    const { operatorId: operator, idempotencyKey: idempotency_key } = reviewer
    const decisionId = `dec_${digestOf({ operator, idempotency_key })}`
    return this.#withTasksOf(input, () =>
      transaction(this.deps.db, async (tx) => {
        await claimGrant(tx, callId, decisionId)
        const decided = await decide(this.deps, tx, { reviewer, input, decisionId })
        await answerCall(callId, decisionId, 200, decided).run(tx)
        return decided
      }),
    )
  }

  /**
   * The same decision about several subjects of one kind, each in a transaction of its own; a dry run undoes it. Every subject gets an
   * outcome, and a repeat finds what was decided. Throws 400 where their acceptance criteria differ, or the rails of a revision.
   */
  async recordBatch(
    reviewer: Reviewer,
    { items, dry_run, ...shared }: BatchInput,
    also: AfterDecision = async () => undefined,
  ) {
    const { operatorId: operator, idempotencyKey: idempotency_key } = reviewer
    await this.#assertAlike(items, shared.revision !== undefined)
    const outcomes: Outcome[] = []
    for (const { subject_id, evidence_root_sha256 } of items) {
      const input = { ...shared, subject_id, evidence_seen_sha256: [evidence_root_sha256] }
      const decisionId = `dec_${digestOf({ operator, idempotency_key, subject_id })}`
      const review = { reviewer, input, decisionId, also }
      outcomes.push(await outcomeOf(subject_id, () => this.#decideOne(review, dry_run)))
    }
    return outcomes
  }

  async #decideOne(
    { also, ...review }: Review & { also: AfterDecision },
    dryRun: boolean,
  ): Promise<Pick<Outcome, 'state' | 'receipt_id'>> {
    const { db } = this.deps
    const known = await findDecision(db, review.decisionId)
    if (known !== undefined) return { state: null, receipt_id: known.receipt_id }
    const act = async (tx: Tx) => {
      const decided = await decide(this.deps, tx, review)
      await also(tx, decided.receipt.receipt_id)
      return decided
    }
    if (dryRun) return { state: (await tryOut(db, act)).subject.state, receipt_id: null }
    const { subject, receipt } = await this.#withTasksOf(review.input, () => transaction(db, act))
    return { state: subject.state, receipt_id: receipt.receipt_id }
  }

  async #assertAlike(items: BatchInput['items'], isRevised: boolean): Promise<void> {
    const criteria = new Set<string>()
    const rails = new Set<unknown>()
    for (const { subject_id } of items) {
      const { content } = (await this.#evidenceOf(subject_id)).found
      criteria.add(digestOf(content.criteria ?? []))
      rails.add((content.terms as Partial<TaskTerms> | undefined)?.rail)
    }
    if (criteria.size > 1) throw unlike('acceptance criteria')
    if (isRevised && rails.size > 1) throw unlike('rails')
  }

  /** Decides, and wakes the tasks that continue then. */
  async #withTasksOf<T>(
    { subject_kind, subject_id }: Pick<ReviewInput, 'subject_kind' | 'subject_id'>,
    act: () => Promise<T>,
  ): Promise<T> {
    const subject = this.deps.subjects.find(({ kind }) => kind === subject_kind)
    const tasks = (await subject?.tasksOf?.(this.deps.db, subject_id)) ?? []
    // Nothing is decided for a task whose workflow cannot be reached.
    await Promise.all(tasks.map(this.deps.wakeTask))
    const answer = await act()
    // The decision is valid even if they cannot be notified now.
    await Promise.allSettled(tasks.map(this.deps.wakeTask))
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
/** What follows from a decision in its transaction, by the id of its receipt. */
type AfterDecision = (tx: Tx, receiptId: string) => Promise<void>

async function decide(
  deps: ReviewDeps,
  tx: Tx,
  { reviewer, input, decisionId: decision_id }: Review,
) {
  const { subject_kind, subject_id, decision, note, limits, evidence_seen_sha256 } = input
  const subject = deps.subjects.find(({ kind }) => kind === subject_kind)
  if (subject === undefined) throw unknownSubject(`no ${subject_kind} waits here`)
  if (input.revision !== undefined && subject_kind !== 'loop_step') throw onlyRunsAreRevised()
  if (input.contact_notified && (subject_kind !== 'agent' || decision !== 'approve'))
    throw onlyKeysAreNoticed()
  const operator = { operatorId: reviewer.operatorId, name: reviewer.name }
  let seen: Seen | undefined
  const decided = await subject.decide(
    tx,
    {
      subjectId: subject_id,
      decisionId: decision_id,
      decision,
      note,
      limits,
      contactNotified: input.contact_notified,
      revision: input.revision,
      operator,
    },
    {
      waitsSince: async (since) => {
        const { waiting_since: named } = input
        const isOther = named !== undefined && Date.parse(named) !== since?.getTime()
        const wait = { subject_kind, subject_id, since, roots: evidence_seen_sha256 }
        if (isOther || (await isDecided(tx, wait))) throw alreadyDecided()
      },
      evidenceSeen: async () => {
        seen = await readSeen(tx, subject, input)
        return seen.judgements
      },
    },
  )
  if (seen === undefined) throw new Error(`${subject_kind} was decided without its evidence`)
  const { manifest, judgements } = seen
  const seconds = await clockSeconds(tx)
  const decided_at = new Date(seconds * 1000)
  const who = { operator_id: reviewer.operatorId, operator_name: reviewer.name }
  const act = { decision_id, subject_kind, subject_id, decision, note }
  const facts = {
    ...act,
    ...who,
    limits: limits ?? null,
    ...(input.contact_notified && { contact_notified: true }),
    evidence_root_sha256: manifest.root_sha256,
    evidence_seen_sha256,
    judgements,
    ...decided.facts,
    state: decided.state,
    at: decided_at.toISOString(),
  }
  const about = { subject: decision_id, kind: 'review_decision', usage: 'operational', facts }
  const jws = await issueReceipt(deps, tx, { ...about, nowSeconds: seconds })
  const row = {
    ...act,
    ...who,
    waiting_since: new Date(manifest.waiting_since),
    limits: limits ?? null,
    evidence_root_sha256: manifest.root_sha256,
    evidence_seen_sha256,
    judgements,
    decided_at,
  }
  await insertDecision(tx, { ...row, receipt_id: receiptId(jws) })
  return {
    review_decision: { ...act, judgements, decided_by: who, at: decided_at.toISOString() },
    subject: { subject_kind, subject_id, state: decided.state, view: decided.view },
    receipt: receiptView(jws),
  }
}

type Seen = { manifest: EvidenceManifest; judgements: Judgement[] }

/** The evidence of a locked subject, which has to be the one that the reviewer saw, and a judgement for each criterion. */
async function readSeen(tx: Tx, subject: ReviewSubject, input: ReviewInput): Promise<Seen> {
  const found = await subject.evidence(tx, input.subject_id)
  if (found === undefined) throw unknownSubject('no such subject')
  const manifest = manifestOf(subject.kind, input.subject_id, found)
  if (!hasSeen(manifest, input.evidence_seen_sha256))
    throw refuse('evidence_changed', {
      detail: 'the digests are not those of the evidence as it is now',
    })
  // Only the result of a run can meet a criterion.
  const criteria = subject.kind === 'loop_step' ? ((found.content.criteria ?? []) as string[]) : []
  const fault = judgementFault(criteria, input.judgements)
  if (fault !== undefined)
    throw refuse('invalid_request', {
      detail: fault,
      errors: [{ pointer: '/judgements', message: fault }],
    })
  return { manifest, judgements: judgeAll(criteria, input.judgements) }
}

const unlike = (what: string) =>
  refuse('invalid_request', {
    detail: `the subjects have different ${what}`,
    next_action: `Decide about those with other ${what} on their own.`,
    errors: [{ pointer: '/items', message: `have different ${what}` }],
  })

const onlyRunsAreRevised = () => {
  const message = 'is for the result of a run'
  return refuse('invalid_request', {
    detail: `a revision ${message}`,
    errors: [{ pointer: '/revision', message }],
  })
}

const onlyKeysAreNoticed = () => {
  const message = 'is for the approval of an agent'
  return refuse('invalid_request', {
    detail: `a notice to the contact ${message}`,
    errors: [{ pointer: '/contact_notified', message }],
  })
}

const alreadyDecided = () =>
  refuse('already_decided', {
    detail: 'it does not wait since then any more',
  })
