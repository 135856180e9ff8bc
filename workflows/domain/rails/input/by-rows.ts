import { z } from 'zod'
import type { Form, Headings } from '../form.ts'
import type { Rail, Work } from '../rail.ts'
import { correctionShapes } from './corrections.ts'
import { faultsTo } from './fields.ts'

/** What a run input may hold of one list; a longer list is uploaded and taken row by row. */
const INLINE_ROWS_MAX = 5_000

type Lists = Record<string, z.ZodType>
type InputOf<Head extends z.ZodObject, L extends Lists> = z.infer<Head> & {
  [Name in keyof L]: z.infer<L[Name]>[]
}
type RowWork<Head extends z.ZodObject, L extends Lists, Result> = {
  head: Head
  lists: L
  /** Adds what members of the head contradict each other in. */
  check?: (head: z.infer<Head>, fault: (path: PropertyKey[], message: string) => void) => void
  /** Lists that an input may leave out. */
  optional?: readonly (keyof L)[]
  forms?: { readonly [Name in keyof L]?: readonly Form[] }
  headings?: { readonly [Name in keyof L]?: Headings }
  open(head: z.infer<Head>): {
    take: { [Name in keyof L]: (row: z.infer<L[Name]>, index: number) => void }
    close(): Work<Result>
  }
}

/**
 * The input, the work and the rows of a rail that folds rows: the work on inline lists is the fold over their rows, so that both
 * ways give the same result. An optional list that is left out is empty.
 */
export function byRows<Head extends z.ZodObject, L extends Lists, Result>({
  head: ownHead,
  lists,
  check,
  optional = [],
  forms,
  headings,
  open,
}: RowWork<Head, L, Result>): Required<
  Pick<Rail<InputOf<Head, L>, Result>, 'input' | 'work' | 'rows'>
> {
  const names = Object.keys(lists)
  const corrections = correctionShapes(lists)
  const head = ownHead.extend(corrections)
  const arrays = Object.fromEntries(
    Object.entries(lists).map(([name, row]) => {
      const rows = z.array(row).max(INLINE_ROWS_MAX)
      return [name, optional.includes(name) ? rows.optional() : rows]
    }),
  )
  const checked = <Schema extends z.ZodObject>(schema: Schema): Schema =>
    check === undefined
      ? schema
      : schema.superRefine((given, context) =>
          check(given as unknown as z.infer<Head>, faultsTo(context)),
        )
  const openChecked = (checked: unknown) => {
    const fold = open(checked as z.infer<Head>)
    const take = (name: string, row: unknown, index: number) => {
      if (!Object.hasOwn(lists, name)) throw new RangeError(`there is no list ${name}`)
      fold.take[name as keyof L](row as never, index)
    }
    return { take, close: () => fold.close() }
  }
  return {
    // The shape is put together from data, so its type is said here once.
    input: checked(head.extend(arrays)) as unknown as z.ZodType<InputOf<Head, L>>,
    rows: {
      head: checked(head),
      lists,
      columns: corrections.columns.unwrap(),
      open: openChecked,
      ...(forms !== undefined && { forms: forms as Readonly<Record<string, readonly Form[]>> }),
      ...(headings !== undefined && { headings: headings as Readonly<Record<string, Headings>> }),
    },
    work(input) {
      const fold = openChecked(
        Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name))),
      )
      for (const name of names)
        for (const [index, row] of (input[name as keyof L] ?? []).entries())
          fold.take(name, row, index)
      return fold.close()
    },
  }
}
