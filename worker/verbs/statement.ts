import type { Command } from 'commander'
import { openStatements } from '../desks.ts'

/** `agent-rails statement`: what was signed about a day, verified before it is printed. */
export function addStatement(program: Command): void {
  program
    .command('statement [day]')
    .description(
      'print the signed statement of a UTC day (2026-11-21), or the latest, and verify it; exit 1 where it fails',
    )
    .option('--jws', 'print the compact JWS alone')
    .action(async (day: string | undefined, { jws }: { jws?: true }) => {
      await using desk = await openStatements()
      const statement = await desk.read(day)
      if (statement === undefined)
        throw new Error(day === undefined ? 'no day has a statement yet' : `${day} has no statement`)
      console.log(jws === true ? statement.jws : JSON.stringify(statement.claims, null, 2))
      for (const fault of statement.faults) console.error(`not verified: ${fault}`)
      if (statement.faults.length > 0) process.exitCode = 1
      else console.error('verified: signature, key and the statement before it')
    })
}
