import type { EvidenceContent } from '#domain/reviews/evidence.ts'
import type { Decision, SubjectKind } from '#domain/reviews/review.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { notAllowed, unknownSubject } from './evidence.ts'
import type {
  ConsoleFilter,
  Decided,
  DecisionTerms,
  ReviewSubject,
  WaitingSubject,
} from './subject.ts'

type Rows<Row> = {
  find(tx: Tx, id: string): Promise<Row | undefined>
  lock(tx: Tx, id: string): Promise<Row | undefined>
  waiting: {
    list(tx: Tx, filter: ConsoleFilter, most: number): Promise<Row[]>
    count(tx: Tx, filter: ConsoleFilter): Promise<number>
  }
}
type Line = Pick<WaitingSubject, 'subject_id' | 'summary'> &
  Partial<Pick<WaitingSubject, 'rail' | 'amount_usd' | 'evidence_links'>>

/** What is declared of records that operators decide about; what is the same for all follows. */
type ReviewedRecord<Row> = {
  kind: SubjectKind
  /** As a refusal names one. */
  name: string
  rows: Rows<Row>
  /** Since when it waits, or is as it is. */
  since(row: Row): Date
  state(row: Row): string
  /** Whether no decision about it can come. */
  isOver?(row: Row): boolean
  allowed(row: Row): Decision[]
  /** Why no other decision is allowed, where its state does not say it. */
  reason?(row: Row): string
  content(tx: Tx, row: Row): EvidenceContent | Promise<EvidenceContent>
  line(row: Row, tx: Tx): Line | Promise<Line>
  /** The tasks that continue once it is decided. */
  tasksOf?(tx: Tx, row: Row): Promise<string[]>
  /** Carries out an allowed decision about the locked row. */
  decide(tx: Tx, row: Row, terms: DecisionTerms): Promise<Decided>
}

/** The review of one kind of record. */
export function reviewOf<Row>(declared: ReviewedRecord<Row>): ReviewSubject {
  const { kind, name, rows, since, state, allowed, content, line, decide } = declared
  const { isOver = () => false, tasksOf } = declared
  const reason = declared.reason ?? ((row: Row) => `the ${name} is ${state(row)}`)
  const listed = async (tx: Tx, row: Row): Promise<WaitingSubject> => ({
    subject_kind: kind,
    state: state(row),
    waiting_since: since(row).toISOString(),
    rail: null,
    amount_usd: null,
    evidence_links: [],
    allowed_decisions: allowed(row),
    ...(await line(row, tx)),
  })
  return {
    kind,
    list: async (tx, filter, most) =>
      (await rows.waiting.list(tx, filter, most)).map((row) => ({
        since: since(row),
        describe: () => listed(tx, row),
      })),
    count: rows.waiting.count,
    evidence: async (tx, id) => {
      const row = await rows.find(tx, id)
      return row && { since: since(row), content: await content(tx, row) }
    },
    ...(tasksOf && {
      tasksOf: async (tx: Tx, id: string) => {
        const row = await rows.find(tx, id)
        return row === undefined ? [] : tasksOf(tx, row)
      },
    }),
    decide: async (tx, terms, assert) => {
      const row = await rows.lock(tx, terms.subjectId)
      if (row === undefined) throw unknownSubject(`no such ${name}`)
      await assert.waitsSince(isOver(row) ? undefined : since(row))
      if (!allowed(row).includes(terms.decision)) throw notAllowed(reason(row), allowed(row))
      await assert.evidenceSeen()
      return decide(tx, row, terms)
    },
  }
}
