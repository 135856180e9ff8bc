import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { railOf, rails } from '#domain/rails/index.ts'
import type { RailKey, Work } from '#domain/rails/rail.ts'
import { plannedChecks, validateWork, workChecks } from '../../../activities/runs/validation.ts'
import { workOnInput } from '../../../activities/runs/work-on-rows.ts'
import { verifies } from '../../verifies.ts'
import { goldenInputs } from '../../workflows/domain/rails/golden.ts'

/** An input that names no uploads. */
const inline = { sources: {}, extractions: [] }

// biome-ignore lint/suspicious/noExplicitAny: results of all rails are changed here by hand.
type Any = any
const checksOf = (key: RailKey, value: unknown, work: Work<unknown>) => {
  const rail = railOf(key)
  return validateWork(
    { rail, tier: 'pro', value, lists: [], again: (see) => workOnInput(rail, value, inline, see) },
    work,
  )
}
const failed = async (key: RailKey, value: unknown, work: Work<unknown>) =>
  (await checksOf(key, value, work)).flatMap(({ check, ok }) => (ok ? [] : [check]))

verifies(
  'loop.validator.holds',
  'right work on many inputs passes every planned check',
  async () => {
    for (const rail of rails) {
      const inputs = [rail.sandboxInput, rail.inputWithGaps ?? rail.sandboxInput]
      for (const value of [...inputs, ...goldenInputs(rail).slice(0, 24)]) {
        const checks = await checksOf(rail.key, value, rail.work(value as never))
        const wrong = checks.filter(({ ok }) => !ok)
        expect(wrong, rail.key).toEqual([])
        const names = plannedChecks(rail, value).map(({ check }) => check)
        expect(checks.map(({ check }) => check)).toEqual(names)
        expect(names.length, rail.key).toBeGreaterThan(workChecks.length + 3)
      }
    }
  },
)

/** For each rail, by the check that has to see it: how a result of its sandbox input becomes wrong. */
const planted: Record<RailKey, Record<string, (result: Any) => void>> = {
  packetops: {
    digests_recomputed: (result) => {
      result.manifest[0].sha256 = 'f'.repeat(64)
    },
    root_recomputed: (result) => {
      result.merkle_root = 'f'.repeat(64)
    },
    items_sealed: (result) => {
      result.manifest[0].name = 'another-name.md'
    },
    score_adds_up: (result) => {
      result.readiness.score = 100
    },
    missing_named: (result) => {
      result.gaps = result.gaps.slice(1)
    },
  },
  diligenceops: {
    questions_once: (result) => {
      result.answers[1].question_id = result.answers[0].question_id
    },
    answers_quoted: (result) => {
      result.answers[0].answer = 'We do everything.'
    },
    scores_reached: (result) => {
      result.answers[0].citations[0].score = 0.1
    },
    coverage_counted: (result) => {
      result.coverage.answered += 1
    },
    conflicts_differ: (result) => {
      result.conflicts[0].sides[1].value = result.conflicts[0].sides[0].value
    },
  },
  energyops: {
    energy_conserved: (result) => {
      result.energy_by_band[1].energy = '99'
    },
    lines_multiply: (result) => {
      result.line_items[0].amount_minor = '1'
    },
    blocks_fill: (result) => {
      result.line_items[0].quantity = '1.5'
    },
    bill_adds_up: (result) => {
      result.recomputed_minor += 1
    },
    bill_lines_add_up: (result) => {
      result.bill_lines[0].difference_minor += 1
    },
    intervals_counted: (result) => {
      result.intervals.expected += 2
    },
    verdict_follows: (result) => {
      result.verdict = result.verdict === 'agrees' ? 'overbilled' : 'agrees'
    },
  },
  distributionops: {
    pool_conserved: (result) => {
      result.remainder_minor += 1
    },
    limits_kept: (result) => {
      const capped = result.allocations.find((one: Any) => one.recipient_id === 'artist-bram')
      capped.amount_minor += 1
    },
    shares_in_proportion: (result) => {
      const [one, other] = ['artist-anna', 'label-north'].map((id) =>
        result.allocations.find((line: Any) => line.recipient_id === id),
      )
      one.amount_minor -= 1_000
      other.amount_minor += 1_000
    },
    recipients_once: (result) => {
      result.refused = []
    },
    manifest_recomputed: (result) => {
      result.manifest_sha256 = 'f'.repeat(64)
    },
    payments_listed: (result) => {
      result.payments[0].iban = 'DE89370400440532013000'
    },
    calls_payable: (result) => {
      result.payments[0].payout_refused = null
    },
    transfers_add_up: (result) => {
      result.credit_transfer.control_sum_minor += 1
    },
  },
  tokenops: {
    rows_counted: (result) => {
      result.cost_by_model[0].rows += 1
    },
    sums_agree: (result) => {
      result.cost_by_agent[0].cost_minor = '0.5'
    },
    duplicates_counted: (result) => {
      result.duplicates.rows += 1
    },
    costs_recomputed: (result) => {
      result.cost_by_model[0].cost_minor = '123.456'
    },
    budget_recomputed: (result) => {
      result.budget_state.spent_minor = '1'
    },
  },
  financeops: {
    totals_recomputed: (result) => {
      result.control_totals[0].payments.total_minor += 1
    },
    rows_placed: (result) => {
      result.unmatched_payments = []
    },
    nothing_overdrawn: (result) => {
      result.matches[0].allocations[0].amount_minor += 1_000_000
    },
    postings_balance: (result) => {
      result.postings[0].debit_minor += 1
    },
    ageing_adds_up: (result) => {
      result.ageing[0].open_minor += 1
    },
  },
  contractops: {
    quotes_in_place: (result) => {
      result.dates[0].citation.from += 1
    },
    deadline_follows: (result) => {
      result.terms.notice.deadline_on = '2026-07-01'
    },
    renewal_follows: (result) => {
      result.terms.renews_on = '2026-12-24'
    },
    obligors_named: (result) => {
      result.obligations[0].party = 'Somewhere Else plc'
    },
    days_exist: (result) => {
      result.dates[0].day = '2024-02-30'
    },
  },
  scout: {
    scores_recomputed: (result) => {
      result.ranked[0].score = 0.99
    },
    services_once: (result) => {
      result.excluded = []
    },
    order_kept: (result) => {
      result.ranked.reverse()
    },
    matches_recomputed: (result) => {
      result.ranked[0].reasons[0].match = 'weak'
    },
    constraints_kept: (result) => {
      result.ranked[0].price_usd = 100_000
    },
    needs_named: (result) => {
      result.missing = []
    },
  },
}

for (const { key, sandboxInput: value } of rails)
  verifies('loop.validator.faults', `a wrong result of ${key} is seen by its check`, async () => {
    const names = plannedChecks(railOf(key), value).map(({ check }) => check)
    expect(Object.keys(planted[key])).toEqual(names.slice(workChecks.length))
    for (const [check, change] of Object.entries(planted[key])) {
      const work = structuredClone(railOf(key).work(value as never)) as Work<unknown>
      change(work.result)
      const seen = await failed(key, value, work)
      expect(seen, `${key} ${check}`).toContain(check)
      expect(seen).toContain('result_repeated')
    }
  })

verifies('loop.validator.citations', 'a citation anywhere in a work has to stand', async () => {
  const { sandboxInput } = railOf('diligenceops')
  const work = structuredClone(railOf('diligenceops').work(sandboxInput)) as Work<Any>
  work.result.answers[0].citations[0].from += 1
  expect(await failed('diligenceops', sandboxInput, work)).toContain('citations_stand')
  const elsewhere = structuredClone(railOf('tokenops').work(railOf('tokenops').sandboxInput))
  ;(elsewhere.result as Any).cost_by_model[0].citations[0].pointer = '/usage/999'
  expect(await failed('tokenops', railOf('tokenops').sandboxInput, elsewhere)).toContain(
    'citations_stand',
  )
})

verifies('loop.validator.holds', 'uploaded rows are checked as inline ones', async () => {
  const rail = railOf('tokenops')
  const { usage, ...head } = rail.sandboxInput as { usage: object[] }
  const text = usage.map((row) => JSON.stringify(row)).join('\n')
  const source = () => ({ format: 'jsonl', stream: Readable.from([Buffer.from(text)]) }) as const
  const value = { ...head, usage: { sha256: 'a'.repeat(64) } }
  const again = (see?: (list: string, row: unknown, index: number) => void) =>
    workOnInput(rail, value, { ...inline, sources: { usage: source() } }, see)
  const work = await again()
  const input = { rail, tier: 'pro', value, lists: ['usage'], again } as const
  expect((await validateWork(input, work)).filter(({ ok }) => !ok)).toEqual([])
  ;(work.result as Any).cost_by_model[0].rows += 1
  const seen = (await validateWork(input, work)).flatMap(({ check, ok }) => (ok ? [] : [check]))
  expect(seen).toContain('rows_counted')
})

verifies(
  'loop.validator.faults',
  'a result of another form fails all checks of its rail',
  async () => {
    const { sandboxInput, audit } = railOf('scout')
    const seen = await failed('scout', sandboxInput, { result: 7, findings: [], gaps: [] })
    expect(seen).toEqual(expect.arrayContaining(audit.plan(sandboxInput).map(({ check }) => check)))
    expect(seen).toContain('result_fits')
  },
)

verifies('loop.validator.faults', 'a cost of a model that has no price is named', async () => {
  const rail = railOf('tokenops')
  const value = rail.sandboxInput
  const again = (see: Parameters<typeof workOnInput>[3]) => workOnInput(rail, value, inline, see)
  const work = structuredClone(await again(() => undefined)) as Work<Any>
  work.result.cost_by_model[0].model = 'unknown-1'
  const checks = await validateWork({ rail, tier: 'standard', value, lists: [], again }, work)
  expect(checks.find(({ check }) => check === 'costs_recomputed')).toMatchObject({
    ok: false,
    detail: 'unknown-1 has no price',
  })
})
