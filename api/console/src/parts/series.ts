/** Numbers of a result that can be drawn: one line for each name, over times or over labels. */
export type Series = {
  title: string
  labels: string[]
  /** Unix seconds of each label where the labels are times. */
  times: number[] | null
  lines: { name: string; values: (number | null)[] }[]
}

const ROWS_MAX = 400
const LINES_MAX = 6
const NUMBERS_MAX = 2
const CHARTS_MAX = 6

type Flat = Record<string, unknown>

/**
 * The lists of a result whose rows have a label or a time, and numbers: one picture for each number, because they have different units.
 * Groups such as a model or a meter become lines of one picture.
 */
export function seriesOf(value: unknown, path: readonly string[] = []): Series[] {
  if (Array.isArray(value)) {
    return seriesOfRows(value, path.join(' › ') || 'result')
  }
  if (!isObject(value)) return []
  return Object.entries(value)
    .flatMap(([name, inner]) => seriesOf(inner, [...path, name.replaceAll('_', ' ')]))
    .slice(0, CHARTS_MAX)
}

function seriesOfRows(rows: readonly unknown[], title: string): Series[] {
  if (rows.length < 2 || rows.length > ROWS_MAX || !rows.every(isObject)) return []
  const names = Object.keys(rows[0] ?? {})
  const label =
    names.find((name) => rows.every((row) => isTime(row[name]))) ??
    names.find((name) => isDistinct(rows.map((row) => row[name])))
  const numbers = names.filter((name) => rows.every((row) => isNumber(row[name])))
  if (label === undefined) return []
  const labels = [...new Set(rows.map((row) => String(row[label])))]
  const times = labels.every(isTime) ? labels.map((one) => Date.parse(one) / 1000) : null
  const group = labels.length < rows.length ? groupName(rows, [label, ...numbers]) : undefined
  return numbers.slice(0, NUMBERS_MAX).map((number) => ({
    title: `${title}: ${number.replaceAll('_', ' ')}`,
    labels,
    times,
    lines: linesOf({ rows, labels, label, number, group }),
  }))
}

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
  const values = new Map(rows.map((row) => [String(row[label]), Number(row[number])]))
  return {
    name: name.replaceAll('_', ' '),
    values: labels.map((one) => values.get(one) ?? null),
  }
}

/** A text that repeats over the rows, such as a model or a meter. */
const groupName = (rows: readonly Flat[], without: readonly string[]): string | undefined =>
  Object.keys(rows[0] ?? {}).find(
    (name) => !without.includes(name) && rows.every((row) => typeof row[name] === 'string'),
  )

const isObject = (value: unknown): value is Flat =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isNumber = (value: unknown): boolean =>
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && /^-?\d{1,15}(\.\d{1,12})?$/.test(value))
const isTime = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d{2}(-\d{2}(T[\d:.]+Z?)?)?$/.test(value)
const isDistinct = (values: readonly unknown[]): boolean =>
  values.every((value) => typeof value === 'string' && !isNumber(value) && value.length <= 60) &&
  new Set(values).size === values.length
