import { Readable } from 'node:stream'
import { railOf } from '#domain/rails/index.ts'
import { columnReader } from '#domain/rails/input/columns.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Question } from '#domain/rails/tables/table-reader.ts'
import { eachRow, type WrongRecord } from '../../activities/runs/rows.ts'
import { readListOf } from '../../activities/runs/work-on-rows.ts'

type ListRead = Awaited<ReturnType<typeof eachRow>> & {
  rows: unknown[]
  /** What is no row, and what the file leaves open. */
  wrong: (WrongRecord | Question)[]
}

/** Reads a file as a list of a rail, as a run on its upload does, without corrections. */
export async function readList(
  rail: RailKey,
  list: string,
  file: string | Buffer,
): Promise<ListRead> {
  const { rows: lists } = railOf(rail)
  if (lists === undefined) throw new RangeError(`${rail} has no lists`)
  const asked = readListOf(lists, list)
  const rows: unknown[] = []
  const wrong: ListRead['wrong'] = []
  const source = { format: 'csv', stream: Readable.from([Buffer.from(file as string)]) } as const
  const read = await eachRow(
    { ...asked, list, source, reader: columnReader(list, asked.schema, {}) },
    (row) => rows.push(row),
    { record: (one) => wrong.push(one), question: (one) => wrong.push(one) },
  )
  return { ...read, rows, wrong }
}
