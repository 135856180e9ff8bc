import { digestOf } from '#domain/core/canonical-json.ts'
import { pointerParts } from '#domain/core/json-pointer.ts'
import type { Citation, Rail, Work } from '#domain/rails/rail.ts'
import type { Check } from '#domain/tasks/terms.ts'
import type { SeeRow } from './work-on-rows.ts'

/** An input to hold work against: the lists that are uploads, and the work done again, which shows their rows to `see`. */
export type ValidatedInput = {
  readonly rail: Pick<Rail, 'result'>
  readonly value: unknown
  readonly lists: readonly string[]
  again(see: SeeRow): Promise<Work<unknown>>
}

export const workChecks = ['result_fits', 'citations_stand', 'same_again'] as const

/** Checks finished work: its shape, its citations, and whether the same input gives the same result. */
export async function validateWork(input: ValidatedInput, work: Work<unknown>): Promise<Check[]> {
  const cited = [...work.findings, ...work.gaps].flatMap(({ citations }) => citations)
  const rows = citedRows(input, cited)
  const again = digestOf(await input.again(rows.see))
  const astray = cited
    .filter((citation) => !stands(rows.inPlace(), citation))
    .map(({ pointer }) => pointer)
  const fits = input.rail.result.safeParse(work.result).success
  return [
    {
      check: 'result_fits',
      ok: fits,
      detail: fits ? 'the result fits its schema' : 'it does not fit its schema',
    },
    {
      check: 'citations_stand',
      ok: astray.length === 0,
      detail:
        astray.length === 0
          ? `${cited.length} citations`
          : `not there: ${astray.slice(0, 5).join(', ')}`,
    },
    {
      check: 'same_again',
      ok: again === digestOf(work),
      detail: `the work done again has digest ${again}`,
    },
  ]
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

/** Whether the place is in the input, with the quoted words in it. */
function stands(input: unknown, { pointer, quote }: Citation): boolean {
  const place = at(input, pointer)
  if (place === undefined) return false
  return (
    quote === undefined ||
    (typeof place === 'string' ? place : JSON.stringify(place)).includes(quote)
  )
}

/** The value at an RFC 6901 pointer; undefined where there is none. */
function at(value: unknown, pointer: string): unknown {
  let place = value
  for (const name of pointerParts(pointer) ?? []) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined
    place = (place as Record<string, unknown>)[name]
  }
  return place
}
