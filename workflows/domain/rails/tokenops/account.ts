import { groupedBy } from '../../core/grouped-by.ts'
import type { Citation, GapRules, Work } from '../rail.ts'
import { cite, notes } from '../work/notes.ts'
import { inOrder, judgedGaps } from '../work/work.ts'
import {
  type AgentDay,
  DAYS_MIN,
  type Outliers,
  ROWS_MIN,
  together,
  unusualDays,
  unusualRows,
} from './anomalies.ts'
import { budgetState } from './budget.ts'
import { citeRow } from './places.ts'
import { COST_PLACES } from './prices.ts'
import { savingsOf } from './savings.ts'
import type { TokenopsHead, TokenopsResult } from './schema.ts'
import { type Billed, type Cell, NO_AGENT, type SoFar } from './so-far.ts'
import { costLine, costText, perUnit, type Sum, type Sums } from './sums.ts'

const details = {
  billed_differs: (count: number) =>
    `models whose bill is more than one percent from what their tokens cost: ${count}`,
  unusual_rows: (count: number) =>
    `rows that cost far more than the others of their model: ${count}`,
  unusual_days: (count: number) => `days of an agent that cost far more than its others: ${count}`,
  repeated_prices: (count: number) =>
    `rows of the price table that say what another says: ${count}`,
  outside_period: (count: number) =>
    `days with usage outside the period, which does not count for the budget: ${count}`,
  duplicate_requests: (count: number) =>
    `rows that say what another of their request id says, and are in no sum: ${count}`,
  differing_requests: (count: number) =>
    `rows that say something else than another of their request id, and are counted: ${count}`,
  repeated_rows: (count: number) =>
    `rows without a request id that say what another says, and are counted: ${count}`,
  parts_above_whole: (count: number) =>
    `rows whose cached, image or reasoning tokens are more than their whole: ${count}`,
  assumed_versions: (count: number) =>
    `names of a version that is not in the price table, priced as the one that is: ${count}`,
  cache_hits: (count: number) =>
    `rows answered from a cache of answers, which cost nothing: ${count}`,
  unpriced_models: (count: number) => `models without a price, whose cost is in no sum: ${count}`,
  differing_prices: (count: number) =>
    `price rows of a model and day with more than one price, none of which is taken: ${count}`,
  too_few_rows: (count: number) =>
    `models with fewer than ${ROWS_MIN} rows, too few to tell what is unusual: ${count}`,
  too_few_days: (count: number) =>
    `agents with fewer than ${DAYS_MIN} days, too few to tell what is unusual: ${count}`,
  unpriced_counts: (count: number) =>
    `counts of a model for which its price has no field, which are in no sum: ${count}`,
  prompt_lengths: (count: number) =>
    `rows of several requests that do not say how long their prompts are, at the price of short ones: ${count}`,
  no_billed_rate: (count: number) =>
    `rows billed in a currency without an exchange rate, which are not compared: ${count}`,
  unread_tags: (count: number) => `rows whose tags cannot be read: ${count}`,
  not_tokens: (count: number) => `charges that are not for tokens of a named model: ${count}`,
  unknown_meters: (count: number) =>
    `charges of tokens whose meter does not say of which kind, which are in no sum: ${count}`,
  too_many_keys: (count: number) =>
    `of tasks, customers and tags, those with too many different values to be told apart: ${count}`,
  no_budget: () => 'no budget is given: nothing is said about its use',
  no_period: () => 'no period is given: nothing is forecast',
  no_usage: () => 'there is no usage',
}

const prices = { pointer: '/price_table' }
const usage = { pointer: '/usage' }
export const gapRules = {
  unpriced_models: {
    kind: 'needed',
    ...prices,
    filled_by: 'one price for each model and day, or an alias',
  },
  unpriced_counts: {
    kind: 'needed',
    ...prices,
    filled_by: 'prices for what is named in unpriced_counts',
  },
  prompt_lengths: { kind: 'needed', ...usage, filled_by: 'the length of prompts as prompt_length' },
  no_usage: { kind: 'needed', ...usage, filled_by: 'rows of usage' },
  unknown_meters: {
    kind: 'needed',
    pointer: '/focus',
    filled_by: 'meters that name input, cached input, cache writes, images, output or reasoning',
  },
  differing_prices: { kind: 'advisory', filled_by: 'one price for each model and day' },
  no_billed_rate: {
    kind: 'advisory',
    pointer: '/exchange_rates',
    filled_by: 'an exchange rate for the billed currency and day',
  },
  too_few_rows: { kind: 'advisory', ...usage, filled_by: 'more usage of these models' },
  too_few_days: { kind: 'advisory', ...usage, filled_by: 'usage of more days' },
  unread_tags: { kind: 'advisory', filled_by: 'tags as an object of names and texts' },
  not_tokens: { kind: 'advisory', filled_by: 'nothing: these charges are of another kind' },
  too_many_keys: { kind: 'advisory', ...usage, filled_by: 'fewer tasks, customers or tags' },
  no_budget: { kind: 'advisory', pointer: '/budget_minor', filled_by: 'a budget' },
  no_period: { kind: 'advisory', pointer: '/period', filled_by: 'the period of the budget' },
} as const satisfies GapRules

/** The result of all usage that was taken. */
export function account(head: TokenopsHead, usage: SoFar): Work<TokenopsResult> {
  const { prices, by } = usage
  const models = by.model.byKey()
  const days = by.day.byKey()
  const agentDays = daysOfAgents(usage.days)
  const rows = together(
    models
      .filter((sum) => sum.rows >= ROWS_MIN)
      .flatMap(({ key }) => {
        const own = usage.models.get(key)?.rows
        return own === undefined ? [] : [unusualRows(key, own)]
      }),
  )
  const unusual = together(agentDays.filter((own) => own.length >= DAYS_MIN).map(unusualDays))
  const total = models.reduce((sum, { cost }) => sum + cost, 0n)
  const duplicates = usage.noted('duplicates')
  const bills = billsOf(usage, models)
  const result: TokenopsResult = {
    currency: prices.currency,
    total_cost_minor: costText(total),
    cost_by_model: models.map((sum) => ({
      model: sum.key,
      ...costLine(sum, placesOf(head, [...(usage.models.get(sum.key)?.prices ?? [])])),
    })),
    cost_by_agent: by.agent.byKey().map((sum) => ({
      agent: sum.key === NO_AGENT ? null : sum.key,
      ...costLine(sum),
    })),
    cost_by_day: days.map((sum) => ({ day: sum.key, ...costLine(sum) })),
    cost_by_task: by.task.dearest().map((sum) => ({ task: sum.key, ...costLine(sum) })),
    cost_by_customer: by.customer.dearest().map((sum) => ({ customer: sum.key, ...costLine(sum) })),
    cost_by_tag: by.tag.dearest().map((sum) => {
      const [tag = '', ...value] = sum.key.split('\n')
      return { tag, value: value.join('\n'), ...costLine(sum) }
    }),
    unit_costs: unitCosts(usage, total),
    model_names: namesOf(usage),
    duplicates: {
      rows: duplicates.rows,
      citations: duplicates.rows === 0 ? [] : [citeRow(duplicates.first)],
    },
    unpriced: unpricedOf(usage),
    unpriced_counts: unpricedCountsOf(usage),
    billed: billedOf(bills),
    savings: savingsOf(head, prices, comparable(usage, bills)),
    anomalies: [...rows.shown, ...unusual.shown],
    budget_state: budgetOf(head, usage, days),
  }
  const findings = findingsOf(head, usage, { rows, unusual, bills })
  const gaps = gapsOf(head, usage, result, agentDays)
  return { result, findings, gaps }
}

function findingsOf(
  head: TokenopsHead,
  usage: SoFar,
  { rows, unusual, bills }: { rows: Outliers; unusual: Outliers; bills: Billed[] },
) {
  const { repeated } = usage.prices
  const outside = usage.by.day.byKey().filter(({ key }) => !inPeriod(head, key))
  const versions = [...usage.renamed.values()].filter(({ by }) => by === 'version')
  const findings = notes(details)
  const count = (code: keyof typeof details, what: Parameters<SoFar['noted']>[0]) => {
    const noted = usage.noted(what)
    findings.add(code, noted.rows === 0 ? [] : [citeRow(noted.first)], noted.rows)
  }
  const differing = judged(bills).filter(differsFromBill)
  findings.add('billed_differs', firstOf(differing), differing.length)
  findings.add('unusual_rows', citedBy(rows.shown), rows.count)
  findings.add('unusual_days', citedBy(unusual.shown), unusual.count)
  findings.add('repeated_prices', placesOf(head, repeated), repeated.length)
  findings.add('outside_period', firstOf(outside), outside.length)
  findings.add('assumed_versions', firstOf(versions), versions.length)
  count('duplicate_requests', 'duplicates')
  count('differing_requests', 'differing_ids')
  count('repeated_rows', 'repeated_rows')
  count('parts_above_whole', 'parts')
  count('cache_hits', 'cache_hits')
  return findings.list()
}

function gapsOf(
  head: TokenopsHead,
  usage: SoFar,
  { unpriced, unpriced_counts }: TokenopsResult,
  agentDays: AgentDay[][],
) {
  const { by, prices } = usage
  const few = by.model.byKey().filter((sum) => sum.rows < ROWS_MIN)
  const short = agentDays.filter((own) => own.length < DAYS_MIN).flatMap((own) => own.slice(0, 1))
  const tooMany = [by.task, by.customer, by.tag].filter((sums) => sums.tooMany())
  const gaps = notes(details)
  const count = (code: keyof typeof details, what: Parameters<SoFar['noted']>[0]) => {
    const noted = usage.noted(what)
    gaps.add(code, noted.rows === 0 ? [] : [citeRow(noted.first)], noted.rows)
  }
  gaps.add('unpriced_models', citedBy(unpriced), unpriced.length)
  gaps.add('differing_prices', placesOf(head, prices.differing), prices.differing.length)
  gaps.add('too_few_rows', firstOf(few), few.length)
  gaps.add('too_few_days', firstOf(short), short.length)
  gaps.add('too_many_keys', [], tooMany.length)
  gaps.add('unpriced_counts', citedBy(unpriced_counts), unpriced_counts.length)
  count('prompt_lengths', 'prompt_lengths')
  count('no_billed_rate', 'no_billed_rate')
  count('unread_tags', 'tags')
  count('not_tokens', 'not_tokens')
  count('unknown_meters', 'unknown_meters')
  if (head.budget_minor === undefined) gaps.add('no_budget', [])
  if (head.period === undefined) gaps.add('no_period', [])
  if (usage.days.size === 0) gaps.add('no_usage', [])
  return judgedGaps(gapRules, gaps.list())
}

function budgetOf(head: TokenopsHead, usage: SoFar, days: Sum[]): TokenopsResult['budget_state'] {
  const used = [...usage.days].filter(([day]) => inPeriod(head, day))
  const names = used.map(([day]) => day).sort()
  const unpriced = used.reduce((sum, [, day]) => sum + day.unpriced, 0)
  const costs = days.filter(({ key }) => inPeriod(head, key))
  return budgetState(head, costs, { first: names[0], last: names.at(-1), unpriced })
}

function daysOfAgents(days: SoFar['days']): AgentDay[][] {
  const all = [...days].flatMap(([day, { agents }]) =>
    agents.all().map(({ key, cost, first }) => {
      return { agent: key === NO_AGENT ? null : key, day, cost, first }
    }),
  )
  const sorted = all.sort(
    inOrder(
      ({ agent }) => agent ?? NO_AGENT,
      ({ day }) => day,
    ),
  )
  return [...groupedBy(sorted, ({ agent }) => agent).values()]
}

function unitCosts({ by }: SoFar, total: bigint): TokenopsResult['unit_costs'] {
  const rows = by.model.all().reduce((sum, model) => sum + model.rows, 0)
  const line = (
    unit: TokenopsResult['unit_costs'][number]['unit'],
    units: number | null,
    cost: bigint,
  ) => ({
    unit,
    units,
    cost_minor: units === null ? null : costText(cost),
    cost_per_unit_minor: units === null || units === 0 ? null : perUnit(cost, units),
  })
  const named = (unit: 'agent' | 'task' | 'customer', sums: Sums) => {
    const own = sums.all().filter(({ key }) => key !== NO_AGENT)
    const cost = own.reduce((sum, one) => sum + one.cost, 0n)
    return line(unit, sums.tooMany() ? null : own.length, cost)
  }
  return [
    line('row', rows, total),
    named('agent', by.agent),
    named('task', by.task),
    named('customer', by.customer),
  ]
}

function namesOf({ renamed }: SoFar): TokenopsResult['model_names'] {
  const lines = [...renamed.values()].map(({ name, model, by, rows, first }) => {
    if (by === 'name') throw new RangeError(`${name} is a name of the price table`)
    return { name, priced_as: model, by, rows, citations: [citeRow(first)] }
  })
  return lines.sort(inOrder(({ name }) => name))
}

function unpricedOf({ unpriced }: SoFar): TokenopsResult['unpriced'] {
  return [...unpriced.values()]
    .map(({ model, reason, rows, input, output, first }) => {
      const tokens = { input_tokens: input, output_tokens: output }
      return { model, reason, rows, ...tokens, citations: [citeRow(first)] }
    })
    .sort(
      inOrder(
        ({ model }) => model,
        ({ reason }) => reason,
      ),
    )
}

function unpricedCountsOf({ unpricedCounts }: SoFar): TokenopsResult['unpriced_counts'] {
  return [...unpricedCounts.values()]
    .map(({ first, ...line }) => ({ ...line, citations: [citeRow(first)] }))
    .sort(
      inOrder(
        ({ model }) => model,
        ({ meter, service }) => `${meter} ${service}`,
      ),
    )
}

/** Charges apart stand next to all that their model cost; where some name no model, the whole bill stands next to the whole cost. */
function billsOf({ billed }: SoFar, models: Sum[]): Billed[] {
  const costOf = (model: string | null) =>
    models
      .filter(({ key }) => model === null || key === model)
      .reduce((sum, { cost }) => sum + cost, 0n)
  const lines = [...billed.values()]
  const whole = lines.reduce((sum, line) => sum + line.billed, 0n)
  return lines
    .map((line) => ({
      ...line,
      billed: line.model === null ? whole : line.billed,
      cost: line.apart ? costOf(line.model) : line.cost,
    }))
    .sort(inOrder(({ model }) => model ?? ''))
}

/** The bills that are judged: the whole where not all of it names its model. */
const judged = (bills: Billed[]): Billed[] => {
  const whole = bills.filter(({ model }) => model === null)
  return whole.length > 0 ? whole : bills
}

function billedOf(bills: Billed[]): TokenopsResult['billed'] {
  return bills.map((line) => ({
    model: line.model,
    rows: line.rows,
    billed_minor: costText(line.billed),
    cost_minor: costText(line.cost),
    difference_minor: costText(line.billed - line.cost),
    citations: [citeRow(line.first)],
  }))
}

/** More than one percent of what was billed, and more than one minor unit. */
function differsFromBill({ billed, cost }: { billed: bigint; cost: bigint }): boolean {
  const [difference, whole] = [billed - cost, billed < 0n ? -billed : billed]
  const distance = difference < 0n ? -difference : difference
  return distance * 100n > whole && distance > 10n ** BigInt(COST_PLACES)
}

/** Usage that is wholly priced and meets its bill, where it has one: savings rest on no other. */
function comparable({ cells, unpricedCounts }: SoFar, bills: Billed[]): Cell[] {
  const incomplete = new Set([...unpricedCounts.values()].map(({ model }) => model))
  const billOf = new Map(judged(bills).map((line) => [line.model, line]))
  return [...cells.values()].filter(({ model }) => {
    const line = billOf.get(null) ?? billOf.get(model)
    return !incomplete.has(model) && (line === undefined || !differsFromBill(line))
  })
}

function inPeriod({ period }: TokenopsHead, day: string): boolean {
  return period === undefined || (period.from <= day && day <= period.to)
}

function firstOf(sums: { first: number }[]): Citation[] {
  return sums.map(({ first }) => citeRow(first))
}

function placesOf({ price_table }: TokenopsHead, priceRows: number[]): Citation[] {
  const own = priceRows.filter((index) => index < price_table.length).sort((a, b) => a - b)
  const listed = own.length < priceRows.length ? [{ pointer: '/listed_prices' }] : []
  return [...own.map((index) => cite('price_table', index)), ...listed]
}

function citedBy(lines: { citations: Citation[] }[]): Citation[] {
  return lines.flatMap(({ citations }) => citations)
}
