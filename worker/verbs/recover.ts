import type { Command } from 'commander'
import { openRecovery } from '../desks.ts'

/** `agent-rails recover …`: find, explain and wake payouts; nothing is ever changed by SQL. */
export function addRecover(program: Command): void {
  const recover = program
    .command('recover')
    .description('find, explain and wake payouts; nothing is ever changed by SQL')
  recover
    .command('list')
    .description('transfers under way, those that need somebody first')
    .action(async () => {
      await using desk = await openRecovery()
      const lines = await desk.list()
      if (lines.length === 0) console.log('nothing is under way')
      else console.table(lines)
    })
  recover
    .command('explain <payout>')
    .description('what a payout waits for and the act that unblocks it')
    .action(async (payoutId: string) => {
      await using desk = await openRecovery()
      for (const [name, value] of Object.entries(await desk.explain(payoutId)))
        console.log(`${name.padEnd(14)} ${value ?? '–'}`)
    })
  recover
    .command('wake <payout>')
    .description('make its workflow read the stored payout again and go on')
    .action(async (payoutId: string) => {
      await using desk = await openRecovery()
      console.log(await desk.wake(payoutId))
    })
  recover
    .command('reconcile')
    .description('compare every transfer with the chain; exit 1 on a difference')
    .action(async () => {
      await using desk = await openRecovery()
      const differences = await desk.reconcile()
      if (differences.length === 0) return console.log('rows and chain agree')
      console.table(differences)
      process.exitCode = 1
    })
}
