import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { callAsOperator } from '../operator-calls.ts'
import { print } from '../print.ts'

const Listed = z.object({
  items: z.array(
    z.object({
      subject_id: z.string(),
      state: z.string(),
      summary: z.string(),
      allowed_decisions: z.array(z.string()),
      evidence_root_sha256: z.string(),
    }),
  ),
})
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

export type BatchOptions = {
  operator: string
  note: string
  kind?: string
  rail?: string
  state?: string
  seen?: string
  dryRun?: true
}

/**
 * The same decision about all subjects of a kind that wait, at most 100. A dry run prints what would become of each and one digest
 * over their evidence; the decision needs this digest, so that nothing is decided that was not listed.
 */
export async function decideAll(decision: Decision, options: BatchOptions): Promise<void> {
  const { operator, note, kind, rail, state, seen, dryRun } = options
  if (kind === undefined) throw new InvalidArgumentError('--all needs --kind')
  const query = { kind, limit: '100', evidence_roots: 'true', ...(rail && { rail }) }
  const path = `/api/loop-review-console?${new URLSearchParams(query)}`
  const listed = Listed.parse(await callAsOperator(operator, 'GET', path)).items
  const chosen = listed.filter(
    (item) =>
      item.allowed_decisions.includes(decision) && (state === undefined || item.state === state),
  )
  if (chosen.length === 0) return print(`nothing of this kind waits for ${decision}`)
  const items = chosen.map(({ subject_id, evidence_root_sha256 }) => ({
    subject_id,
    evidence_root_sha256,
  }))
  const digest = digestOf(items)
  if (dryRun !== true && seen !== digest)
    throw new InvalidArgumentError(
      'what waits is not what --seen names: run it with --dry-run, and give the digest that it prints',
    )
  const input = { subject_kind: kind, decision, note, items, dry_run: dryRun === true }
  const answer = await callAsOperator(operator, 'POST', '/api/operator/reviews', input)
  const { outcomes } = Outcomes.parse(answer)
  print(outcomes.map(outcomeText).join('\n'))
  if (dryRun === true) print(`seen ${digest}`)
  if (outcomes.some(({ refused }) => refused !== null)) process.exitCode = 1
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
