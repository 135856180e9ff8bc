import { type RailKey, railKeys } from '#domain/rails/rail.ts'
import type { Roll } from './dice.ts'

type Figures = Record<string, string | number>

/** What the tests of all rails expect of one: `<rail>/cases.ts` exports it as `cases`. */
export type RailCases = {
  /** Its row of endpoints.md §22.1: paid agent use, quickstart, pricing model 2, loop, offers, requested tool, entry to pro. */
  declared: [boolean, boolean, boolean, 'current' | 'future', boolean, boolean, number[] | null]
  /** The key figures of a report, from the result of the sandbox input, by label. */
  // biome-ignore lint/suspicious/noExplicitAny: each rail has a result of its own.
  figures: (result: any) => Figures
  /** By the check that has to see it: how the result of the sandbox input becomes wrong. */
  // biome-ignore lint/suspicious/noExplicitAny: each rail has a result of its own.
  planted: Record<string, (result: any) => void>
  /** An input by chance; those that the schema refuses are left out. */
  input: (roll: Roll) => unknown
  /** Further inputs, which are always the same. */
  larger?: () => unknown[]
}

const loaded = railKeys.map(async (key) => {
  const { cases } = (await import(`./${key}/cases.ts`)) as { cases: RailCases }
  return [key, cases] as const
})

/** The cases of every rail. */
export const railCases = Object.fromEntries(await Promise.all(loaded)) as Record<RailKey, RailCases>
