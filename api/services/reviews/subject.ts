import type { TrustLimits } from '#domain/agents/trust-limits.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { EvidenceContent, Judgement } from '#domain/reviews/evidence.ts'
import type { Decision, SubjectKind } from '#domain/reviews/review.ts'
import type { MissingEvidence } from '#domain/reviews/wait.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { WaitingFilter as WaitsFor } from '../../../activities/store/reviews/waiting-filter.ts'
import type { Revision } from './revise.ts'
import type { UploadedPart } from './uploads.ts'

/** The place of the evidence: a path of one of the service's hosts, or a URL that the payer gave. */
export type EvidenceLink = { host: 'base' | 'os'; path: string } | { url: string }

/** Something that waits for a decision, as the review console lists it. */
export type WaitingSubject = {
  subject_kind: SubjectKind
  subject_id: string
  state: string
  waiting_since: string
  rail: string | null
  summary: string
  /** Whole US dollars that the decision is about; null where there is no price. */
  amount_usd: number | null
  evidence_links: EvidenceLink[]
  allowed_decisions: Decision[]
  /** The gaps in the input of a run, where they are decided about or reported. */
  gaps?: MissingEvidence[]
}

/** A subject in the order of waiting; only those on the page that is shown are described. */
type ListedSubject = { since: Date; describe(): Promise<WaitingSubject> }

/** `state` lists the subjects in it, waiting or not; `untouched` omits those that an operator has seen; `subjectId` leaves one. */
export type ConsoleFilter = WaitsFor & {
  subjectId?: string | undefined
  state?: string | undefined
  rail?: RailKey | undefined
  untouched: boolean
}

/** The checks of a locked subject that are the same for every kind. */
type ReviewChecks = {
  /** 409 `already_decided` if the decision is about an earlier wait, or this wait is over; `since` is missing where nothing waits. */
  waitsSince(since: Date | undefined): Promise<void>
  /** The judgement of each acceptance criterion; 409 `evidence_changed` if the decision names other evidence. */
  evidenceSeen(): Promise<Judgement[]>
}

/** `uploads`: the lists that the input names by the digest of their bytes, which are read from the store. */
export type SubjectEvidence = { since: Date; content: EvidenceContent; uploads?: UploadedPart[] }

export type DecisionTerms = {
  subjectId: string
  decisionId: string
  decision: Decision
  note: string
  limits?: TrustLimits | undefined
  /** The operator has written to the contact of the agent. */
  contactNotified?: boolean | undefined
  revision?: Revision | undefined
  operator: { operatorId: string; name: string }
}

/** The state after a decision, and what its receipt also says. */
export type Decided = {
  state: string
  view: Record<string, unknown>
  facts?: Record<string, unknown>
}

/**
 * One kind of subject that operators decide about. `decide` runs in the transaction that records the decision. It locks the subject,
 * checks that it waits since the given time, that the decision is allowed now, and that its evidence was seen, in this order, and
 * carries the decision out. It throws 404, and 409 `wrong_state`.
 */
export type ReviewSubject = {
  readonly kind: SubjectKind
  list(tx: Tx, filter: ConsoleFilter, most: number): Promise<ListedSubject[]>
  count(tx: Tx, filter: ConsoleFilter): Promise<number>
  /** Everything that a decision is about, and the start of the wait; undefined for an unknown subject. */
  evidence(tx: Tx, subjectId: string): Promise<SubjectEvidence | undefined>
  /** The tasks that continue once it is decided; their workflows are notified. */
  tasksOf?(tx: Tx, subjectId: string): Promise<string[]>
  decide(tx: Tx, terms: DecisionTerms, assert: ReviewChecks): Promise<Decided>
}
