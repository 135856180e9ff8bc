import { type Html, html } from '../../core/html.ts'
import { oneLine } from '../../core/plain-text.ts'
import { decimalText, divideRounded, scaled } from '../values/amounts.ts'
import { type Cell, MINOR_ENDING } from './cells.ts'
import { decimalsShown, grouped, isDecimal } from './decimal-text.ts'
import type { ChartPlan } from './plan.ts'
import type { Table } from './tables.ts'

const BARS_MAX = 12
const SERIES_MAX = 62
/** A table of more currencies is drawn for these; the page says how many more there are. */
const CURRENCIES_MAX = 3
const LABEL_MAX = 28
/** Decimal places of sums; further digits of a value are cut off. */
const PLACES = 18
/** Decimal places of a label, rounded; a currency of more has all of them. */
const SHOWN_PLACES = 4

type Bar = { label: string; sum: bigint }
type Drawing = { title: string; currency: string; bars: readonly Bar[] }

/** The charts of a table: one for each currency, because amounts of two currencies have no common scale. */
export function chartsOf(plan: ChartPlan, tables: readonly Table[]): Html[] {
  const table = tables.find(({ name }) => name === plan.table)
  const places = table && placesOf(plan, table)
  if (table === undefined || places === undefined) return []
  const byCurrency = [...sumsOf(table, places)]
  const isMinor = plan.value?.endsWith(MINOR_ENDING) === true && places.currency < 0
  const drawn = byCurrency.slice(0, CURRENCIES_MAX).map(([currency, sums]) => {
    const unit = isMinor ? 'minor units' : currency
    const title = unit === '' ? plan.title : `${plan.title}, ${unit}`
    const bars = [...sums].map(([label, sum]): Bar => ({ label, sum }))
    return plan.form === 'series'
      ? seriesOf({ title, currency, bars })
      : barsOf({ title, currency, bars })
  })
  const more = byCurrency.length - CURRENCIES_MAX
  return more > 0
    ? [...drawn, html`<p class="note">${more} more currencies are in the table.</p>`]
    : drawn
}

/** Where a chart finds its cells in a row; the currency is below zero where its values are no amounts. */
type Places = { label: number; value: number | undefined; currency: number }

function placesOf({ label, value }: ChartPlan, { columns, amounts }: Table): Places | undefined {
  const at = columns.indexOf(label)
  if (value === undefined) return at < 0 ? undefined : { label: at, value, currency: -1 }
  const major = value.endsWith(MINOR_ENDING) ? value.slice(0, -MINOR_ENDING.length) : value
  const isAmount = amounts.has(major)
  const valueAt = columns.indexOf(isAmount ? major : value)
  if (at < 0 || valueAt < 0) return undefined
  return { label: at, value: valueAt, currency: isAmount ? columns.indexOf('currency') : -1 }
}

/** The sums by currency and label, of the rows whose value is a number. */
function sumsOf({ rows }: Table, places: Places): Map<string, Map<string, bigint>> {
  const sums = new Map<string, Map<string, bigint>>()
  for (const row of rows) {
    const amount = places.value === undefined ? scaled(1, PLACES) : amountOf(row[places.value])
    if (amount === null) continue
    const currency = String(row[places.currency] ?? '')
    const bars = sums.get(currency) ?? new Map<string, bigint>()
    const name = String(row[places.label] ?? 'none')
    bars.set(name, (bars.get(name) ?? 0n) + amount)
    sums.set(currency, bars)
  }
  return sums
}

const longFraction = new RegExp(`(\\.\\d{${PLACES}})\\d+$`)
const amountOf = (cell: Cell | undefined): bigint | null =>
  isDecimal(cell) ? scaled(String(cell).replace(longFraction, '$1'), PLACES) : null

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)
const peakOf = (bars: readonly Bar[]): Bar =>
  bars.reduce((best, bar) => (magnitude(bar.sum) > magnitude(best.sum) ? bar : best))
/** The length of the scale; 1 where all sums are zero. */
const scaleOf = (bars: readonly Bar[]): bigint => magnitude(peakOf(bars).sum) || 1n
/** A sum on a scale on which the largest has this length; only zero has none. */
const lengthOf = (sum: bigint, max: bigint, length: number): number =>
  sum === 0n ? 0 : Math.max(1, Number((magnitude(sum) * BigInt(length)) / max))
/** A rounded sum with at least the decimals of its currency. */
function sumText(sum: bigint, currency: string): string {
  const decimals = decimalsShown(currency) ?? 0
  const places = Math.max(SHOWN_PLACES, decimals)
  const rounded = divideRounded(sum, 10n ** BigInt(PLACES - places))
  const [whole = '', fraction = ''] = decimalText(rounded, places).split('.')
  const shown = fraction.padEnd(decimals, '0')
  return grouped(shown === '' ? whole : `${whole}.${shown}`)
}

const figure = (title: string, rest: string, svg: Html): Html =>
  html`<figure><figcaption>${title}${rest}</figcaption>${svg}</figure>`
const restOf = (all: number, shown: number, which: string): string =>
  all > shown ? ` (the ${which} ${shown} of ${grouped(all)})` : ''

const ROW = 26
const LABELS = 210
const BAR = 400
const VALUES = 150

/** Horizontal bars, the largest first. */
function barsOf({ title, currency, bars: all }: Drawing): Html {
  const bigger = ({ sum: a }: Bar, { sum: b }: Bar) =>
    Number(magnitude(b) > magnitude(a)) - Number(magnitude(b) < magnitude(a))
  const bars = [...all].sort(bigger).slice(0, BARS_MAX)
  const max = scaleOf(bars)
  const drawn = bars.map(({ label, sum }, index) => {
    const [y, length] = [index * ROW, lengthOf(sum, max, BAR)]
    return html`<text x="${LABELS - 8}" y="${y + 17}" text-anchor="end">${oneLine(label, LABEL_MAX)}</text><rect class="${classOf(sum)}" x="${LABELS}" y="${y + 4}" width="${length}" height="${ROW - 8}"/><text x="${LABELS + length + 6}" y="${y + 17}">${sumText(sum, currency)}</text>`
  })
  const box = `0 0 ${LABELS + BAR + VALUES} ${bars.length * ROW}`
  return figure(
    title,
    restOf(all.length, bars.length, 'largest'),
    html`<svg role="img" aria-label="${title}" viewBox="${box}">${drawn}</svg>`,
  )
}

const WIDTH = 760
const HEIGHT = 150
const AXIS = 20

/** Upright bars in the order of the rows, with the first and the last label and the largest value. */
function seriesOf({ title, currency, bars: all }: Drawing): Html {
  const bars = all.slice(0, SERIES_MAX)
  const max = scaleOf(bars)
  const step = Math.min(60, Math.floor(WIDTH / Math.max(1, bars.length)))
  const drawn = bars.map(({ label, sum }, index) => {
    const length = lengthOf(sum, max, HEIGHT)
    return html`<rect class="${classOf(sum)}" x="${index * step}" y="${AXIS + HEIGHT - length}" width="${step - 2}" height="${length}"><title>${oneLine(label, LABEL_MAX)}: ${sumText(sum, currency)}</title></rect>`
  })
  const [first, last] = [bars.at(0)?.label ?? '', bars.at(-1)?.label ?? '']
  const end = Math.max(bars.length * step, LABELS)
  const below = AXIS + HEIGHT + 16
  const peak = peakOf(bars)
  const legend = html`<text x="0" y="14">largest ${sumText(peak.sum, currency)}: ${oneLine(peak.label, LABEL_MAX)}</text>
<text x="0" y="${below}">${oneLine(first, LABEL_MAX)}</text><text x="${end}" y="${below}" text-anchor="end">${oneLine(last, LABEL_MAX)}</text>`
  return figure(
    title,
    restOf(all.length, bars.length, 'first'),
    html`<svg role="img" aria-label="${title}" viewBox="0 0 ${WIDTH} ${below + 6}">${drawn}${legend}</svg>`,
  )
}

const classOf = (sum: bigint): string => (sum < 0n ? 'below' : 'above')
