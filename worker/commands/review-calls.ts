import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { Judgement } from '#domain/reviews/evidence.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { callAsOperator } from '../operator-calls.ts'
import { recordText, tableText } from '../print.ts'

const REVIEWS = '/api/loop-review-console'

const Item = z.looseObject({
  subject_kind: z.string(),
  subject_id: z.string(),
  state: z.string(),
  rail: z.string().nullable(),
  waiting_since: z.string(),
  amount_usd: z.number().nullable(),
  summary: z.string(),
  allowed_decisions: z.array(z.string()),
  evidence_root_sha256: z.string().nullable(),
  criteria_sha256: z.string().nullable(),
})
const Evidence = z.object({
  subject_kind: z.string(),
  waiting_since: z.string(),
  parts: z.array(z.object({ name: z.string(), bytes: z.number(), content: z.unknown() })),
  root_sha256: z.string(),
})
const Slice = z.object({ text: z.string(), next_offset: z.number().nullable() })
const Page = z.object({
  items: z.array(Item),
  total: z.number(),
  evidence: Evidence.nullable(),
  evidence_part: Slice.nullable(),
})
export type Item = z.output<typeof Item>
type Evidence = z.output<typeof Evidence>
export type Judged = { number: number; note: string }

/** A page of what waits, or one subject with its evidence. */
export async function readReviews(operator: string, query: Record<string, string>) {
  const answer = await callAsOperator(operator, 'GET', `${REVIEWS}?${new URLSearchParams(query)}`)
  return { answer, page: Page.parse(answer) }
}

/** A subject with its evidence; throws for an unknown one. */
export async function readSubject(operator: string, subject_id: string) {
  const { answer, page } = await readReviews(operator, { subject_id })
  const { items, evidence } = page
  if (evidence === null) throw new Error(`the service has no evidence of ${subject_id}`)
  return { answer, items, evidence }
}

/** A decision about one subject. */
type DecisionAsked = {
  operator: string
  note: string
  /** The root that was shown, and the digests of parts that were opened. */
  seen: readonly string[]
  met?: readonly Judged[]
  notMet?: readonly Judged[]
  more?: Record<string, unknown>
}

/** Decides about a subject as it was shown; the service refuses other evidence. */
export async function decideOne(decision: Decision, id: string, asked: DecisionAsked) {
  const { operator, note, seen, met = [], notMet = [], more = {} } = asked
  if (seen.length === 0)
    throw new InvalidArgumentError('--seen needs the digest that the evidence was shown with')
  const { evidence } = await readSubject(operator, id)
  return callAsOperator(operator, 'POST', REVIEWS, {
    ...more,
    subject_kind: evidence.subject_kind,
    subject_id: id,
    decision,
    note,
    evidence_seen_sha256: [...seen],
    judgements: judgementsOf(evidence, { met, notMet }),
  })
}

const criteriaOf = (content: unknown): string[] => z.array(z.string()).parse(content ?? [])

/** The criteria that these numbers stand for, with their verdicts. */
export function judgementsOf(
  { parts }: Evidence,
  { met, notMet }: { met: readonly Judged[]; notMet: readonly Judged[] },
): Judgement[] {
  const criteria = criteriaOf(parts.find(({ name }) => name === 'criteria')?.content)
  const judged = (given: readonly Judged[], verdict: Judgement['verdict']) =>
    given.map(({ number, note }) => {
      const criterion = criteria[number - 1]
      if (criterion === undefined)
        throw new Error(`there are ${criteria.length} criteria, and none with the number ${number}`)
      return { criterion, verdict, note }
    })
  return [...judged(met, 'met'), ...judged(notMet, 'not_met')]
}

/** What waits, as a table. */
export const itemsText = (items: readonly Item[], none: string): string =>
  tableText(
    items.map((item) => ({
      id: item.subject_id,
      kind: item.subject_kind,
      state: item.state,
      since: item.waiting_since,
      rail: item.rail,
      usd: item.amount_usd,
      decisions: item.allowed_decisions,
      summary: [...item.summary].slice(0, 100).join(''),
    })),
    none,
  )

/** A subject with everything that its decision is about; the last line is the digest that the decision needs. */
export function subjectText(
  id: string,
  { items, evidence }: { items: readonly Item[]; evidence: Evidence },
): string {
  const [item] = items
  const waits =
    item === undefined
      ? `${id} does not wait for a decision now`
      : recordText({
          id,
          kind: item.subject_kind,
          state: item.state,
          since: item.waiting_since,
          usd: item.amount_usd,
          decisions: item.allowed_decisions,
          summary: item.summary,
        })
  const parts = evidence.parts.map((part) => partText(id, part))
  return [waits, ...parts, `seen ${evidence.root_sha256}`].join('\n')
}

/** A part as indented JSON; criteria have the numbers by which they are judged. */
function partText(id: string, { name, bytes, content }: Evidence['parts'][number]): string {
  if (content === null)
    return `${name}: ${bytes} bytes, agent-rails review show ${id} --part ${name}`
  if (name !== 'criteria') return `${name}: ${JSON.stringify(content, null, 2)}`
  const criteria = criteriaOf(content).map((text, at) => `  ${at + 1}: ${text}`)
  return ['criteria:', ...criteria].join('\n')
}
