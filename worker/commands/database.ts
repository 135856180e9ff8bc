import type { Command } from 'commander'
import { loadDatabaseUrl } from '../../activities/config/config.ts'
import { openDatabaseService } from '../database-service.ts'
import { print } from '../print.ts'

/** `agent-rails database export | start-fresh`: what an operator does with the data of an older schema. */
export function addDatabase(program: Command): void {
  const database = program.command('database').description('the data of an older schema')
  database
    .command('export <file>')
    .description('write every row of every table into a new, compressed file of JSON lines')
    .action(async (file: string) => {
      await using service = openDatabaseService(loadDatabaseUrl())
      print(`exported ${await service.export(file)} rows to ${file}`)
    })
  database
    .command('start-fresh')
    .description("keep the tables of an older schema under another name, and make today's")
    .action(async () => {
      await using service = openDatabaseService(loadDatabaseUrl())
      print(`the older data is in the schema ${await service.startFresh()}; today's is empty`)
    })
}
