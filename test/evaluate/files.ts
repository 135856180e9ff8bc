import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { railOf } from '#domain/rails/index.ts'
import { columnReader } from '#domain/rails/input/columns.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { eachRow } from '../../activities/runs/rows.ts'
import { readListOf } from '../../activities/runs/work-on-rows.ts'

/** The files of a folder whose names end so; none where there is no such folder. */
export function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  return names.toSorted().map((name) => join(folder, name))
}

/** Reads a file as a list of a rail, as a run on its upload does; the records that are no rows are counted. */
export async function rowsOf(rail: RailKey, list: string, path: string) {
  const { rows } = railOf(rail)
  if (rows === undefined) throw new RangeError(`${rail} has no lists`)
  const asked = readListOf(rows, list)
  const taken: Record<string, unknown>[] = []
  let refused = 0
  const source = { format: 'csv', stream: createReadStream(path) } as const
  const { reading } = await eachRow(
    { ...asked, list, source, reader: columnReader(list, asked.schema, {}) },
    (row) => taken.push(row as Record<string, unknown>),
    { record: () => (refused += 1), question: () => (refused += 1) },
  )
  return { rows: taken, refused, form: reading.form }
}
