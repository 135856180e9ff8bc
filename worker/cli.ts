import { Command } from 'commander'
import { packageVersion } from '../activities/package-root.ts'
import { proveCall } from './desks.ts'
import { printReport } from './doctor/examine.ts'
import { print, printError } from './print.ts'
import { addCredential } from './verbs/credential.ts'
import { addKeys } from './verbs/keys.ts'
import { addOperator } from './verbs/operator.ts'
import { addPause } from './verbs/pause.ts'
import { addRecover } from './verbs/recover.ts'
import { addReplay } from './verbs/replay.ts'
import { addStatement } from './verbs/statement.ts'

const program = new Command('agent-rails')
  .description('Durable agent commerce: operators and recovery.')
  .version(packageVersion(), '--version', 'print the version')
  .showHelpAfterError()

program
  .command('prove <path> <body>')
  .description('print the X-Service-Wallet-Proof header of a POST by an account of the local chain')
  .option('--agent <number>', 'which of the three agents signs', '0')
  .action(async (path: string, body: string, { agent }: { agent: string }) => {
    print(await proveCall(path, JSON.parse(body), Number(agent)))
  })

program
  .command('doctor')
  .description('look at everything that this deployment stands on; exit 1 on a fault')
  .option('--json', 'print {ok, checks} as JSON')
  .action(async ({ json }: { json?: true }) => {
    process.exitCode = (await printReport(json === true)) ? 0 : 1
  })

addOperator(program)
addKeys(program)
addRecover(program)
addPause(program)
addCredential(program)
addStatement(program)
addReplay(program)

await program.parseAsync().catch((error: unknown) => {
  printError(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
