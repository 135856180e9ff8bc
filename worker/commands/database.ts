import type { Command } from 'commander'
import { loadDatabaseUrl } from '../../activities/config/config.ts'
import { openDatabaseService } from '../database-service.ts'
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
