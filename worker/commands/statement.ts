import type { Command } from 'commander'
import { type Output, print, printError, show } from '../print.ts'
import { jsonOption } from './by-operator.ts'

/** Loaded by the command that needs it: most of a start would be spent on it otherwise. */
const openStatements = async () => (await import('../services.ts')).openStatements()

const NONE = 'no statement yet: the first is signed after the first UTC day has ended'

/** `agent-rails statement`: what was signed about a day, verified before it is printed. */
export function addStatement(program: Command): void {
  jsonOption(program.command('statement [day]'))
    .description(
      'print the signed statement of a UTC day (2026-11-21), or the latest, and verify it; exit 1 where it fails',
    )
    .option('--jws', 'print the compact JWS alone')
    .action(async (day: string | undefined, options: Output & { jws?: true }) => {
      await using service = await openStatements()
      const statement = await service.read(day)
      if (statement === undefined && day === undefined)
        return show(options, { statement: null }, () => NONE)
      if (statement === undefined) throw new Error(`${day} has no statement`)
      if (options.jws === true) print(statement.jws)
      else show(options, statement.claims)
      for (const fault of statement.faults) printError(`not verified: ${fault}`)
      if (statement.faults.length > 0) process.exitCode = 1
      else printError('verified: signature, key and the statement before it')
    })
}
