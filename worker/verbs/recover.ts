import type { Command } from 'commander'
import { openRecovery } from '../desks.ts'

/** `agent-rails recover …`: find, explain and wake payouts, and compare everything; nothing is ever repaired by SQL. */
export function addRecover(program: Command): void {
  const recover = program
    .command('recover')
    .description('find, explain and wake payouts, and compare everything; nothing is ever repaired by SQL')
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
    .description('compare chain, rows, workflows, receipts and charges now; exit 1 on a difference')
    .action(async () => {
      await using desk = await openRecovery()
      const { differences } = await desk.reconcile()
      if (differences === 0) return console.log('rows and chain agree, and so do workflows, receipts and charges')
      console.table((await desk.exceptions()).filter(({ seen }) => seen).map(line))
      process.exitCode = 1
    })
  recover
    .command('exceptions')
    .description('differences that reconciliation found and nobody closed')
    .option('--json', 'print them with their evidence as JSON')
    .action(async ({ json }: { json?: true }) => {
      await using desk = await openRecovery()
      const open = await desk.exceptions()
      if (json === true) console.log(JSON.stringify(open, null, 2))
      else if (open.length === 0) console.log('no exception is open')
      else console.table(open.map(line))
    })
  recover
    .command('close <exception>')
    .description('close an exception; what differs is not touched')
    .requiredOption('--reason <text>', 'why, for the receipt')
    .requiredOption('--operator <who>', 'name or credential of the operator who acts')
    .action(async (exception_id: string, { reason, operator }: { reason: string; operator: string }) => {
      await using desk = await openRecovery()
      console.log(JSON.stringify(await desk.close(operator, { exception_id, reason }), null, 2))
    })
}

type Shown = { exception_id: string; code: string; subject: string; seen: boolean; first_seen_at: string }
const line = ({ exception_id, code, subject, seen, first_seen_at }: Shown) => ({
  exception_id,
  code,
  subject,
  seen,
  first_seen_at,
})
