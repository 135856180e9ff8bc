import { recordText, tableText } from '../print.ts'
import { criteriaOf, type Evidence, type Item } from './review-calls.ts'

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
