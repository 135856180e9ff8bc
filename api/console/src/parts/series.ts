/** Numbers of a document that can be drawn: one line for each name, over times or over labels. */
export type Series = {
  title: string
  labels: string[]
  /** Unix seconds of each label where the labels are times. */
  times: number[] | null
  lines: { name: string; values: (number | null)[] }[]
}

const ROWS_MAX = 5_000
const BARS_MAX = 24
const LINES_MAX = 6
const CHARTS_MAX = 6

type Flat = Record<string, unknown>
type Found = Series & { rank: number }

/** Words in the names of numbers that are drawn, the most important first. */
const drawnNames =
  /cost|amount|charge|total|balance|energy|kwh|load|reading|value|usage|score|coverage|points|price|covered/

/**
 * The series of a document, the most important first: lists whose rows have a label or a time and a number of a known name,
 * rows of buckets, and coverage. Groups such as a model or a meter become lines of one chart.
 */
export function seriesOf(value: unknown): Series[] {
  return found(value, [])
    .sort((one, other) => one.rank - other.rank)
    .slice(0, CHARTS_MAX)
    .map(({ rank: _, ...series }) => series)
}

function found(value: unknown, path: readonly string[]): Found[] {
  const title = path.map(plainName).join(' › ') || 'result'
  if (Array.isArray(value)) return [...ofRows(value, title), ...ofBuckets(value, title)]
  if (!isObject(value)) return []
  return [
    ...ofShares(value, title),
    ...Object.entries(value).flatMap(([name, inner]) => found(inner, [...path, name])),
  ]
}

/** Rows with a label or a time, and a number of a known name. */
function ofRows(rows: readonly unknown[], title: string): Found[] {
  if (rows.length < 2 || rows.length > ROWS_MAX || !rows.every(isObject)) return []
  const names = Object.keys(rows[0] ?? {})
  const number = names
    .filter((name) => drawnNames.test(name) && rows.every((row) => isNumber(row[name])))
    .sort((one, other) => rankOf(one) - rankOf(other))[0]
  const label =
    names.find((name) => rows.every((row) => isTime(row[name]))) ??
    names.find((name) => isDistinct(rows.map((row) => row[name])))
  if (number === undefined || label === undefined) return []
  const labels = [...new Set(rows.map((row) => String(row[label])))].sort(byTime)
  const times = labels.every(isTime) ? labels.map((one) => Date.parse(one) / 1000) : null
  if (times === null && labels.length > BARS_MAX) return []
  const group = labels.length < rows.length ? groupName(rows, [label, number]) : undefined
  const lines = linesOf({ rows, labels, label, number, group })
  return [{ title: `${title}: ${plainName(number)}`, labels, times, lines, rank: rankOf(number) }]
}

/** Rows whose numbers are buckets of one unit, such as an ageing: one chart for each row, without the bucket that is the sum. */
function ofBuckets(rows: readonly unknown[], title: string): Found[] {
  if (rows.length === 0 || rows.length > LINES_MAX || !rows.every(isObject)) return []
  return rows.flatMap((row) => {
    const numbers = Object.keys(row).filter((name) => isNumber(row[name]))
    const all = numbers.reduce((sum, name) => sum + Number(row[name]), 0)
    const isSum = (name: string) => numbers.length > 4 && Number(row[name]) * 2 === all && all !== 0
    const buckets = numbers.filter((name) => !isSum(name)).sort(byDays)
    const units = new Set(buckets.map((name) => name.split('_').at(-1)))
    if (buckets.length < 4 || units.size > 1 || !buckets.some((name) => /\d/.test(name))) return []
    const labels = buckets.map((name) => plainName(name.replace(/_[a-z]+$/, '')))
    const whose = Object.values(row).find((value) => typeof value === 'string') ?? ''
    const lines = [{ name: [...units].join(), values: buckets.map((name) => Number(row[name])) }]
    return [{ title: `${title} ${whose}`.trim(), labels, times: null, lines, rank: 0 }]
  })
}

/** Counts that belong together, such as how much is covered. */
function ofShares(value: Flat, title: string): Found[] {
  const entries = Object.entries(value).filter(([name]) => !/percent|ratio/.test(name))
  if (!/coverage/.test(title) || entries.length < 2) return []
  if (!entries.every(([, count]) => typeof count === 'number')) return []
  const lines = [{ name: 'number', values: entries.map(([, count]) => Number(count)) }]
  return [{ title, labels: entries.map(([name]) => plainName(name)), times: null, lines, rank: 0 }]
}

const rankOf = (name: string): number => {
  const place = drawnNames.source.split('|').findIndex((word) => name.includes(word))
  return place === -1 ? Number.POSITIVE_INFINITY : place
}
const byTime = (one: string, other: string): number =>
  isTime(one) && isTime(other) ? Date.parse(one) - Date.parse(other) : 0

/** What is not due comes first, and what is over the last bound comes last. */
const byDays = (one: string, other: string): number => daysOf(one) - daysOf(other)
const daysOf = (name: string): number =>
  Number(/\d+/.exec(name)?.[0] ?? -1) + (/over|above/.test(name) ? 0.5 : 0)

type Drawn = {
  rows: readonly Flat[]
  labels: readonly string[]
  label: string
  number: string
  group: string | undefined
}

function linesOf({ rows, group, ...drawn }: Drawn): Series['lines'] {
  if (group === undefined) return [lineOf(drawn.number, { rows, ...drawn })]
  const groups = [...new Set(rows.map((row) => String(row[group])))].slice(0, LINES_MAX)
  return groups.map((name) =>
    lineOf(name, { rows: rows.filter((row) => String(row[group]) === name), ...drawn }),
  )
}

function lineOf(name: string, { rows, labels, label, number }: Omit<Drawn, 'group'>) {
  const values = new Map<string, number>()
  for (const row of rows) {
    const at = String(row[label])
    values.set(at, (values.get(at) ?? 0) + Number(row[number]))
  }
  return { name: plainName(name), values: labels.map((one) => values.get(one) ?? null) }
}

/** A text that repeats over the rows, such as a model or a meter; each of them has a line of at least two points. */
const groupName = (rows: readonly Flat[], without: readonly string[]): string | undefined =>
  Object.keys(rows[0] ?? {}).find(
    (name) => !without.includes(name) && repeats(rows.map((row) => row[name])),
  )

function repeats(values: readonly unknown[]): boolean {
  const counts = new Map<unknown, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return values.every((value) => typeof value === 'string') && Math.min(...counts.values()) > 1
}

const plainName = (name: string): string => name.replaceAll('_', ' ')
const isObject = (value: unknown): value is Flat =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isNumber = (value: unknown): boolean =>
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && /^-?\d{1,15}(\.\d{1,12})?$/.test(value))
const isTime = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}(-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?)?$/.test(value) &&
  !Number.isNaN(Date.parse(value))
const isDistinct = (values: readonly unknown[]): boolean =>
  values.every((value) => typeof value === 'string' && !isNumber(value) && value.length <= 60) &&
  new Set(values).size === values.length
