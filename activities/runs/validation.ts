import { digestOf } from '#domain/core/canonical-json.ts'
import { pointerParts } from '#domain/core/json-pointer.ts'
import type {
  AuditOutcome,
  Citation,
  Columns,
  PlannedCheck,
  Rail,
  Tier,
  Work,
} from '#domain/rails/rail.ts'
import { completed, delivered } from '#domain/rails/work/tiers.ts'
import type { Check } from '#domain/tasks/terms.ts'
import type { SeeRow } from './work-on-rows.ts'

/** An input to hold work against: the lists that are uploads, and the work done again, which shows all rows to `see`. */
export type ValidatedInput = {
  readonly rail: Pick<Rail, 'result' | 'audit' | 'tiers'>
  readonly tier: Tier
  readonly value: unknown
  readonly lists: readonly string[]
  /** The whole work, before its tier leaves anything out. */
  again(see: SeeRow): Promise<Work<unknown>>
}

const DETAIL_MAX = 500

const ofEveryRail: readonly PlannedCheck[] = [
  { check: 'result_fits', of: 'the result, against the schema of its rail' },
  {
    check: 'citations_stand',
    of: 'every citation of the result, its findings and its gaps, against the input',
  },
  { check: 'result_repeated', of: 'the digest of the work, against that of the work done again' },
]

/** The checks of any work, whatever its rail. */
export const workChecks = ofEveryRail.map(({ check }) => check)

/** The checks that the validator makes of work on an input. */
export const plannedChecks = ({ audit }: Pick<Rail, 'audit'>, input: unknown): PlannedCheck[] => [
  ...ofEveryRail,
  ...audit.plan(input),
]

/**
 * Checks finished work: its shape, its citations, whether the same input gives it again, and what its rail computes by other ways.
 * Each row is seen once.
 */
export async function validateWork(input: ValidatedInput, work: Work<unknown>): Promise<Check[]> {
  const { rail, value, tier } = input
  const cited = citationsIn(work)
  const rows = citedRows(input, cited)
  const audit = auditing(rail, value)
  const whole = await input.again((list, row, index) => {
    rows.see(list, row, index)
    audit.take(list, row, index)
  })
  const again = digestOf(delivered(rail, tier, whole))
  const full = completed(rail, tier, { work, whole })
  const fits = rail.result.safeParse(full.result).success
  const place = rows.inPlace()
  const columns = (value as { columns?: Columns } | null)?.columns
  const astray = cited.filter((citation) => !stands(place, citation, columns))
  const [result = '', citations = '', same = ''] = workChecks
  return [
    {
      check: result,
      ok: fits,
      detail: fits ? 'the result fits its schema' : 'it does not fit its schema',
    },
    {
      check: citations,
      ok: astray.length === 0,
      detail:
        astray.length === 0
          ? `${cited.length} citations`
          : `not there: ${astray
              .slice(0, 5)
              .map(({ pointer }) => pointer)
              .join(', ')}`,
    },
    {
      check: same,
      ok: again === digestOf(work),
      detail: `the work done again has digest ${again}`,
    },
    ...auditChecks(rail.audit.plan(value), fits ? audit.close(full) : undefined),
  ]
}

type Guarded = { take: SeeRow; close(work: Work<unknown>): AuditOutcome | string }

/** The audit of a work. What stops it is what is wrong. */
function auditing({ audit }: Pick<Rail, 'audit'>, value: unknown): Guarded {
  let stopped: string | undefined
  const guarded = <Result>(step: () => Result): Result | undefined => {
    try {
      return stopped === undefined ? step() : undefined
    } catch (error) {
      stopped = `it could not be made: ${(error as Error).message}`
      return undefined
    }
  }
  const opened = guarded(() => audit.open(value))
  return {
    take: (list, row, index) => {
      guarded(() => opened?.take(list, row, index))
    },
    close: (work) => guarded(() => opened?.close(work)) ?? stopped ?? 'it was not made',
  }
}

/** One check for each that was planned; one that was not made has failed. */
function auditChecks(
  planned: readonly PlannedCheck[],
  outcome: AuditOutcome | string = 'the result does not fit its schema',
): Check[] {
  return planned.map(({ check, of }) => {
    const wrong = typeof outcome === 'string' ? outcome : outcomeOf(outcome, check)
    return { check, ok: wrong === null, detail: (wrong ?? of).slice(0, DETAIL_MAX) }
  })
}

const outcomeOf = (outcome: AuditOutcome, check: string): string | null =>
  Object.hasOwn(outcome, check) ? (outcome[check] ?? null) : 'it was not made'

/** Every citation in a work. A gap names by `pointer` where it would be filled, which need not be there. */
function citationsIn(value: unknown): Citation[] {
  if (typeof value !== 'object' || value === null) return []
  const isCitation = 'pointer' in value && !('filled_by' in value)
  const own = isCitation && typeof value.pointer === 'string' ? [value as Citation] : []
  return own.concat(...Object.values(value).map(citationsIn))
}

/** The input as far as it is cited: of uploaded lists, only the cited rows are kept as they come by. */
function citedRows({ value, lists: named }: ValidatedInput, cited: readonly Citation[]) {
  const wanted = new Set(cited.map(({ pointer }) => pointer.split('/', 3).join('/')))
  const lists = Object.fromEntries(named.map((list) => [list, {} as Record<number, unknown>]))
  return {
    see: (list: string, row: unknown, index: number): void => {
      const rows = lists[list]
      if (rows !== undefined && wanted.has(`/${list}/${index}`)) rows[index] = row
    },
    inPlace: (): unknown =>
      Object.keys(lists).length === 0 ? value : { ...(value as object), ...lists },
  }
}

type Placed = Citation & { from?: unknown; to?: unknown }

/** Whether the place is in the input, with the quoted words in it, and at their offsets where these are named. */
function stands(input: unknown, cited: Placed, columns: Columns | undefined): boolean {
  const { pointer, quote, from, to } = cited
  const place = at(input, pointer, columns)
  if (place === undefined) return false
  if (quote === undefined) return true
  if (typeof place === 'string' && typeof from === 'number' && typeof to === 'number')
    return place.slice(from, to) === quote
  return (typeof place === 'string' ? place : JSON.stringify(place)).includes(quote)
}

/** The value at an RFC 6901 pointer, by the field or by the caller's column for it; undefined where there is none. */
function at(value: unknown, pointer: string, columns: Columns | undefined): unknown {
  const parts = pointerParts(pointer) ?? []
  const column = columns?.[parts[0] ?? '']?.[parts[2] ?? '']
  let place = value
  for (const [depth, name] of parts.entries()) {
    if (typeof place !== 'object' || place === null) return undefined
    const own = depth === 2 && column !== undefined && !Object.hasOwn(place, name) ? column : name
    if (!Object.hasOwn(place, own)) return undefined
    place = (place as Record<string, unknown>)[own]
  }
  return place
}
