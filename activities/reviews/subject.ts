import type { Decision, SubjectKind } from '../../workflows/domain/review.ts'
import type { MissingEvidence } from '../../workflows/domain/wait.ts'
import type { TrustLimits } from '../store/agent-tables.ts'
import type { Tx } from '../store/db.ts'

/** Where the evidence stands: at a path of one of the service's hosts, or at a URL that the payer gave. */
export type EvidenceLink = { host: 'base' | 'os'; path: string } | { url: string }

/** Something that waits for a decision, as the review console lists it. */
export type WaitingSubject = {
  subject_kind: SubjectKind
  subject_id: string
  state: string
  waiting_since: string
  rail: string | null
  summary: string
  evidence_links: EvidenceLink[]
  allowed_decisions: Decision[]
  /** What the input lacks, of a run whose gaps are decided about or reported. */
  gaps?: MissingEvidence[]
}

/** `state` lists what stands in it, waiting or not; `untouched` leaves out what an operator has looked at. */
export type ConsoleFilter = { state?: string | undefined; rail?: string | undefined; untouched: boolean }

export type DecisionTerms = {
  decisionId: string
  decision: Decision
  note: string
  limits?: TrustLimits | undefined
  operator: { operatorId: string; name: string }
}

/**
 * One kind of thing that people decide about. `decide` runs in the transaction that records the decision: it locks the subject,
 * hands the time that it waited since to `assertWaiting`, and carries the decision out; it throws 404 and 409 `wrong_state`.
 */
export type ReviewSubject = {
  readonly kind: SubjectKind
  list(tx: Tx, filter: ConsoleFilter, most: number): Promise<WaitingSubject[]>
  count(tx: Tx, filter: ConsoleFilter): Promise<number>
  /** Tasks that go on once it is decided: their workflows are told. */
  tasksOf?(tx: Tx, subjectId: string): Promise<string[]>
  decide(
    tx: Tx,
    subjectId: string,
    terms: DecisionTerms,
    assertWaiting: (since: Date) => void,
  ): Promise<{ state: string; view: Record<string, unknown> }>
}
