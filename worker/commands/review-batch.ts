import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { callAsOperator } from '../operator-calls.ts'
import { type Output, print, show } from '../print.ts'
import { type Item, type Judged, judgementsOf, readReviews, readSubject } from './review-calls.ts'
import { chosen, type Where } from './where.ts'

/** What one batch decides about at most; a longer list needs another one. */
const BATCH_MAX = 100

/** What `--where` goes by; `criteria_sha256` picks those with the same criteria. */
export const batchColumns = [
  'subject_id',
  'state',
  'rail',
  'amount_usd',
  'criteria_sha256',
] as const

const Outcomes = z.object({
  outcomes: z.array(
    z.object({
      id: z.string(),
      state: z.string().nullable(),
      receipt_id: z.string().nullable(),
      refused: z.object({ code: z.string(), detail: z.string() }).nullable(),
    }),
  ),
})

export type BatchOptions = Output & {
  operator: string
  note: string
  kind?: string
  rail?: string
  state?: string
  where: Where<(typeof batchColumns)[number]>[]
  parameter?: [string, unknown][]
  met: Judged[]
  notMet: Judged[]
  seen: string[]
  dryRun?: true
}

/**
 * The same decision about all subjects of a kind that wait and match, at most 100. A dry run prints what would become of each and one
 * digest over their evidence; the decision needs this digest, so that nothing is decided that was not listed.
 */
export async function decideAll(decision: Decision, options: BatchOptions): Promise<void> {
  const { operator, note, kind, seen, parameter = [], dryRun } = options
  if (kind === undefined) throw new InvalidArgumentError('--all needs --kind')
  const items = (await matching(decision, kind, options)).map((item) => ({
    subject_id: item.subject_id,
    evidence_root_sha256: item.evidence_root_sha256,
  }))
  if (items.length === 0)
    return show(
      options,
      { outcomes: [], seen: null },
      () => `nothing of this kind waits for ${decision}`,
    )
  const digest = digestOf(items)
  if (dryRun !== true && seen.join() !== digest)
    throw new InvalidArgumentError(
      'what waits is not what --seen names: run it with --dry-run, and give the digest that it prints',
    )
  const asked = {
    subject_kind: kind,
    decision,
    note,
    items,
    judgements: await sharedJudgements(items[0]?.subject_id ?? '', options),
    dry_run: dryRun === true,
  }
  const revision = { revision: { parameters: Object.fromEntries(parameter) } }
  const input = parameter.length === 0 ? asked : { ...asked, ...revision }
  const answer = await callAsOperator(operator, 'POST', '/api/operator/reviews', input)
  const { outcomes } = Outcomes.parse(answer)
  show(options, { outcomes, seen: digest }, () => outcomes.map(outcomeText).join('\n'))
  if (dryRun === true && options.json !== true) print(`seen ${digest}`)
  if (outcomes.some(({ refused }) => refused !== null)) process.exitCode = 1
}

/** The judgements of the criteria, which all subjects of a batch share. */
async function sharedJudgements(first: string, { operator, met, notMet }: BatchOptions) {
  if (met.length + notMet.length === 0) return []
  return judgementsOf((await readSubject(operator, first)).evidence, { met, notMet })
}

/** The first of those that wait longest and match, over all pages of the list. */
async function matching(
  decision: Decision,
  kind: string,
  { operator, rail, state, where }: BatchOptions,
): Promise<Item[]> {
  const found: Item[] = []
  for (let offset = 0; ; offset += BATCH_MAX) {
    const paged = { offset: String(offset), limit: String(BATCH_MAX) }
    const query = { kind, ...paged, evidence_roots: 'true', ...(rail && { rail }) }
    const { items, total } = (await readReviews(operator, query)).page
    const allowed = items.filter(
      (item) =>
        item.allowed_decisions.includes(decision) && (state === undefined || item.state === state),
    )
    found.push(...chosen(allowed, where))
    if (found.length >= BATCH_MAX || offset + items.length >= total || items.length === 0)
      return found.slice(0, BATCH_MAX)
  }
}

function outcomeText({
  id,
  state,
  receipt_id,
  refused,
}: z.output<typeof Outcomes>['outcomes'][number]) {
  if (refused !== null) return `${id} is refused: ${refused.code}: ${refused.detail}`
  return receipt_id === null
    ? `${id} would be ${state}`
    : `${id} is ${state ?? 'decided'}, ${receipt_id}`
}
