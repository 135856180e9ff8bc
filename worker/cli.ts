import { Command } from 'commander'
import { packageVersion } from '../activities/package-root.ts'
import { printError } from './print.ts'

type Add = (program: Command) => void

/** Loaded when it is needed, since most of the time of a short command would be spent on the others. */
const families: Record<string, () => Promise<Add>> = {
  prove: async () => (await import('./verbs/prove.ts')).addProve,
  doctor: async () => (await import('./verbs/doctor.ts')).addDoctor,
  operator: async () => (await import('./verbs/operator.ts')).addOperator,
  keys: async () => (await import('./verbs/keys.ts')).addKeys,
  recover: async () => (await import('./verbs/recover.ts')).addRecover,
  pause: async () => (await import('./verbs/pause.ts')).addPause,
  credential: async () => (await import('./verbs/credential.ts')).addCredential,
  statement: async () => (await import('./verbs/statement.ts')).addStatement,
  replay: async () => (await import('./verbs/replay.ts')).addReplay,
}

const program = new Command('agent-rails')
  .description('Durable agent commerce: operators and recovery.')
  .version(packageVersion(), '--version', 'print the version')
  .showHelpAfterError()

const asked = process.argv[2] ?? ''
const one = Object.hasOwn(families, asked) ? families[asked] : undefined
const needed = one !== undefined ? [one] : Object.values(families)
if (asked !== '--version') for (const add of await Promise.all(needed.map((load) => load()))) add(program)

await program.parseAsync().catch((error: unknown) => {
  printError(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
