import { Argument, type Command } from 'commander'
import { type ControlScope, controlScopes } from '#domain/payouts/controls.ts'
import { print, printJson, printTable } from '../print.ts'
import { openSwitches } from '../services.ts'

type Options = { operator: string; reason: string }

/** `agent-rails pause | resume | pauses`: operators' switches, each act with its signed receipt. */
export function addPause(program: Command): void {
  setsSwitch(
    program
      .command('pause')
      .description('stop new transfers; those that are reserved already continue'),
    true,
  )
  setsSwitch(program.command('resume').description('take a pause back'), false)
  program
    .command('pauses')
    .description('what is paused now')
    .option('--history', 'the last 50 acts instead, newest first')
    .action(async ({ history }: { history?: true }) => {
      await using service = await openSwitches()
      const lines = await (history ? service.history() : service.active())
      if (lines.length === 0) print(history ? 'nothing was ever paused' : 'nothing is paused')
      else printTable(lines)
    })
}

function setsSwitch(command: Command, paused: boolean): void {
  command
    .addArgument(new Argument('<scope>').choices(controlScopes))
    .argument('[target]', 'an address for wallet, an id for payout')
    .requiredOption('--reason <text>', 'why, for the receipt and for callers')
    .requiredOption('--operator <who>', 'name or credential of the operator who acts')
    .action(
      async (scope: ControlScope, target: string | undefined, { operator, reason }: Options) => {
        await using service = await openSwitches()
        printJson(await service.set(operator, { scope, target, paused, reason }))
      },
    )
}
