import { Argument, type Command } from 'commander'
import { type ControlScope, controlScopes } from '#domain/payouts/controls.ts'
import { type Output, show, tableText } from '../print.ts'
import { byNamedOperator, jsonOption } from './by-operator.ts'

/** Loaded by the command that needs it: most of a start would be spent on it otherwise. */
const openSwitches = async () => (await import('../services.ts')).openSwitches()

type Options = Output & { operator: string; reason: string }

/** `agent-rails pause | resume | pauses`: operators' switches, each act with its signed receipt. */
export function addPause(program: Command): void {
  setsSwitch(
    program
      .command('pause')
      .description('stop new transfers or runs; those that have begun continue'),
    true,
  )
  setsSwitch(program.command('resume').description('take a pause back'), false)
  jsonOption(program.command('pauses').description('what is paused now'))
    .option('--history', 'the last 50 acts instead, newest first')
    .action(async (options: Output & { history?: true }) => {
      await using service = await openSwitches()
      const lines = await (options.history ? service.history() : service.active())
      const none = options.history ? 'nothing was ever paused' : 'nothing is paused'
      show(options, lines, (rows) => tableText(rows, none))
    })
}

function setsSwitch(command: Command, paused: boolean): void {
  byNamedOperator(
    command
      .addArgument(new Argument('<scope>').choices(controlScopes))
      .argument('[target]', 'an address for wallet, a key for rail, an id for payout and agent'),
  ).action(async (scope: ControlScope, target: string | undefined, options: Options) => {
    const { operator, reason } = options
    await using service = await openSwitches()
    show(options, await service.set(operator, { scope, target, paused, reason }))
  })
}
