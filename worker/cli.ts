import { Command } from 'commander'
import { openOperatorDesk, openRecovery, proveCall } from './desks.ts'
import { printReport } from './doctor/examine.ts'
import { renewSigningKeys } from './keys.ts'

const program = new Command('agent-rails')
  .description('Durable agent commerce: operators and recovery.')
  .showHelpAfterError()

program
  .command('operator')
  .description('operator credentials')
  .command('create <name>')
  .description('make a credential and print it once')
  .action(async (name: string) => {
    await using desk = await openOperatorDesk()
    console.log(await desk.create(name))
  })

program
  .command('prove <path> <body>')
  .description('print the X-Service-Wallet-Proof header of a POST by an account of the local chain')
  .option('--agent <number>', 'which of the three agents signs', '0')
  .action(async (path: string, body: string, { agent }: { agent: string }) => {
    console.log(await proveCall(path, JSON.parse(body), Number(agent)))
  })

program
  .command('doctor')
  .description('look at everything that this deployment stands on; exit 1 on a fault')
  .option('--json', 'print {ok, checks} as JSON')
  .action(async ({ json }: { json?: true }) => {
    process.exitCode = (await printReport(json === true)) ? 0 : 1
  })

program
  .command('keys <file>')
  .description('make a file of signing keys, or put a new active key into each of its rings')
  .action((file: string) => console.log(renewSigningKeys(file, new Date()).join('\n')))

const recover = program.command('recover').description('find, explain and wake payouts; nothing is ever changed by SQL')
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

await program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
