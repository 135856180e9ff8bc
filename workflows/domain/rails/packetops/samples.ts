import type { Table } from '../text/table.ts'
import type { Section } from './profiles.ts'
import type { Sample } from './schema.ts'
import { failingRow } from './statements.ts'

/** A list of what was tested, and the list that it was drawn from, as their items have them. */
export type Drawn = {
  section: Section
  sample: { name: string; table: Table | undefined }
  population: { name: string; table: Table | undefined } | undefined
  /** The size that the sender gives, where the list itself is not supplied. */
  stated: number | null
}

/**
 * The smallest sample for a population, as audit firms' tables have it for controls that operate yearly, quarterly, monthly,
 * weekly, daily and more often.
 */
function sampleNeeded(population: number, least: number | null): number {
  if (least !== null) return Math.min(population, least)
  for (const [size, needed] of sizes) if (population <= size) return Math.min(population, needed)
  return 25
}
const sizes: [number, number][] = [
  [1, 1],
  [4, 2],
  [12, 2],
  [52, 5],
  [250, 20],
]

/** Compares the rows of a sample with those of its population by their first column. */
export function checkSample({ section, sample, population, stated }: Drawn): Sample {
  const rows = sample.table?.rows ?? []
  const key = sample.table?.columns[0] ?? ''
  const drawn = new Set(rows.map(({ cells }) => cells.get(key) ?? ''))
  const from = population?.table
  const whole =
    from && new Set(from.rows.map(({ cells }) => cells.get(from.columns[0] ?? '') ?? ''))
  const size = whole?.size ?? stated
  const needed = size === null ? null : sampleNeeded(size, section.sampleMin)
  const strangers = whole ? [...drawn].filter((id) => !whole.has(id)).toSorted() : []
  return {
    section: section.key,
    sample: sample.name,
    population: population?.name ?? null,
    population_size: size,
    stated_population_size: stated,
    sample_size: drawn.size,
    needed,
    strangers,
    repeated: rows.length - drawn.size,
    exceptions: rows.filter(({ cells }) => failingRow(cells)).length,
    state: stateOf(size, drawn.size, needed, strangers),
  }
}

function stateOf(
  size: number | null,
  drawn: number,
  needed: number | null,
  strangers: string[],
): Sample['state'] {
  if (strangers.length > 0) return 'not_from_population'
  if (size === null || needed === null) return 'population_unknown'
  return drawn < needed ? 'too_small' : 'sufficient'
}
