import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { RowSource } from '../../../activities/runs/rows.ts'
import { usageRows } from '../../workflows/domain/rails/tokenops/usage.ts'
import { startChild } from './child.ts'
import { peakBytes } from './cpu.ts'
import { round } from './figures.ts'
import type { Fixture } from './fixture.ts'
import type { RowsTaken } from './rows-work.ts'

type Format = RowSource['format']
export type Rows = Record<Format, RowsTaken & { rows: number; peak_mb: number }>

const columns = ['at', 'model', 'input_tokens', 'output_tokens', 'agent', 'task'] as const

/** So many usage rows from a file through tokenops, each format in a fresh process. */
export async function measureRows(fixture: Fixture, count: number): Promise<Rows> {
  return { csv: await workOn(fixture, 'csv', count), jsonl: await workOn(fixture, 'jsonl', count) }
}

async function workOn({ stack }: Fixture, format: Format, rows: number): Promise<Rows[Format]> {
  const file = join(stack.dataDirectory, `usage.${format}`)
  await pipeline(Readable.from(linesOf(format, rows)), createWriteStream(file))
  const child = startChild('rows-work.js')
  try {
    const { seconds, priced } = await child.ask<RowsTaken>('work', { format, file })
    return {
      rows,
      priced,
      seconds: round(seconds),
      peak_mb: Math.round(peakBytes(child.pid) / 2 ** 20),
    }
  } finally {
    await child.stop()
    await rm(file)
  }
}

function* linesOf(format: Format, count: number): Generator<string> {
  if (format === 'csv') yield `${columns.join(',')}\n`
  for (const row of usageRows(count))
    yield `${format === 'csv' ? columns.map((name) => row[name] ?? '').join(',') : JSON.stringify(row)}\n`
}

export function printRows(rows: Rows): Rows {
  console.log('\nUsage rows from a file through tokenops, each format in a fresh process')
  console.table(rows)
  return rows
}
