import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Command } from 'commander'
import { loadDatabaseUrl } from '../../activities/config/config.ts'
import { createDatabase, poolOf } from '../../activities/store/postgres/db.ts'
import { exportRows } from '../../activities/store/postgres/export-rows.ts'
import { startFresh } from '../../activities/store/postgres/start-fresh.ts'
import { type Output, show } from '../print.ts'
import { jsonOption } from './by-operator.ts'

/** `agent-rails database export | start-fresh`: what an operator does with the data of an older schema. */
export function addDatabase(program: Command): void {
  const database = program.command('database').description('the data of an older schema')
  jsonOption(database.command('export <file>'))
    .description('write every row of every table into a new, compressed file of JSON lines')
    .action(async (file: string, options: Output) => {
      await using service = openDatabaseService(loadDatabaseUrl())
      const exported = { file, rows: await service.export(file) }
      show(options, exported, ({ rows }) => `exported ${rows} rows to ${file}`)
    })
  jsonOption(database.command('start-fresh'))
    .description("keep the tables of an older schema under another name, and make today's")
    .action(async (options: Output) => {
      await using service = openDatabaseService(loadDatabaseUrl())
      show(
        options,
        { older_schema: await service.startFresh() },
        ({ older_schema }) => `the older data is in the schema ${older_schema}; today's is empty`,
      )
    })
}

/** The data of an older schema: its export, and a fresh start. `url` connects as the owner of the tables. */
export function openDatabaseService(url: string) {
  const { db, close } = createDatabase({
    url,
    applicationName: 'agent-rails database',
    poolSize: 2,
    queryTimeoutMs: 15 * 60_000,
  })
  return {
    export: (file: string) => writeCompressed(exportRows(poolOf(db)), file),
    startFresh: () => startFresh(db),
    [Symbol.asyncDispose]: close,
  }
}

/** Writes a new file that only its owner can read, and returns the number of lines. An export that failed leaves no file. */
async function writeCompressed(lines: AsyncIterable<string>, file: string): Promise<number> {
  let written = 0
  async function* counted() {
    for await (const line of lines) {
      written += 1
      yield line
    }
  }
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  let opened = false
  target.once('open', () => {
    opened = true
  })
  try {
    await pipeline(Readable.from(counted()), createGzip(), target)
  } catch (error) {
    if (opened) await rm(file, { force: true })
    throw error
  }
  return written
}
