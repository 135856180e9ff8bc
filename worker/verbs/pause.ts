import type { Command } from 'commander'
import { z } from 'zod'
import { controlScopes } from '../../workflows/domain/controls.ts'
import { openSwitches } from '../desks.ts'

type Options = { operator: string; reason: string }

/** `agent-rails pause | resume | pauses`: operators' switches, each act with its signed receipt. */
export function addPause(program: Command): void {
  addSwitch(program, 'pause', 'stop new transfers; what is reserved already goes on')
  addSwitch(program, 'resume', 'take a pause back')
  program
    .command('pauses')
    .description('what is paused now')
    .option('--history', 'the last 50 acts instead, newest first')
    .action(async ({ history }: { history?: true }) => {
      await using desk = await openSwitches()
      const lines = await (history ? desk.history() : desk.active())
      if (lines.length === 0) console.log(history ? 'nothing was ever paused' : 'nothing is paused')
      else console.table(lines)
    })
}

function addSwitch(program: Command, verb: 'pause' | 'resume', description: string): void {
  program
    .command(`${verb} <scope> [target]`)
    .description(`${description}; scope: ${controlScopes.join(', ')}; target: an address or a payout id`)
    .requiredOption('--reason <text>', 'why, for the receipt and for callers')
    .requiredOption('--operator <who>', 'name or credential of the operator who acts')
    .action(async (scope: string, target: string | undefined, { operator, reason }: Options) => {
      await using desk = await openSwitches()
      const known = z.enum(controlScopes, `the scope is one of ${controlScopes.join(', ')}`).parse(scope)
      const act = { scope: known, target, paused: verb === 'pause', reason }
      console.log(JSON.stringify(await desk.set(operator, act), null, 2))
    })
}
