import type { Command } from 'commander'
import { print, printError, printJson } from '../print.ts'
import { openStatements } from '../services.ts'

/** `agent-rails statement`: what was signed about a day, verified before it is printed. */
export function addStatement(program: Command): void {
  program
    .command('statement [day]')
    .description(
      'print the signed statement of a UTC day (2026-11-21), or the latest, and verify it; exit 1 where it fails',
    )
    .option('--jws', 'print the compact JWS alone')
    .action(async (day: string | undefined, { jws }: { jws?: true }) => {
      await using service = await openStatements()
      const statement = await service.read(day)
      if (statement === undefined && day === undefined)
        return print('no statement yet: the first is signed after the first UTC day has ended')
      if (statement === undefined) throw new Error(`${day} has no statement`)
      if (jws === true) print(statement.jws)
      else printJson(statement.claims)
      for (const fault of statement.faults) printError(`not verified: ${fault}`)
      if (statement.faults.length > 0) process.exitCode = 1
      else printError('verified: signature, key and the statement before it')
    })
}
