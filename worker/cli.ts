import { Command } from 'commander'
import { packageVersion } from '../activities/config/package-root.ts'
import { errorText } from './error-text.ts'
import { printError } from './print.ts'

type Add = (program: Command) => void

const pauses = async () => (await import('./commands/pause.ts')).addPause

/** Loaded when it is needed, since most of the time of a short command would be spent on the others. */
const families: Record<string, () => Promise<Add>> = {
  prove: async () => (await import('./commands/prove.ts')).addProve,
  database: async () => (await import('./commands/database.ts')).addDatabase,
  demo: async () => (await import('./commands/demo.ts')).addDemo,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  'restore-check': async () => (await import('./commands/doctor.ts')).addRestoreCheck,
  operator: async () => (await import('./commands/operator.ts')).addOperator,
  keys: async () => (await import('./commands/keys.ts')).addKeys,
  recover: async () => (await import('./commands/recover.ts')).addRecover,
  pause: pauses,
  resume: pauses,
  pauses,
  review: async () => (await import('./commands/review.ts')).addReview,
  agents: async () => (await import('./commands/agents.ts')).addAgents,
  payments: async () => (await import('./commands/payments.ts')).addPayments,
  payouts: async () => (await import('./commands/payouts.ts')).addPayouts,
  mandates: async () => (await import('./commands/mandates.ts')).addMandates,
  credential: async () => (await import('./commands/credential.ts')).addCredential,
  statement: async () => (await import('./commands/statement.ts')).addStatement,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
  witness: async () => (await import('./commands/witness.ts')).addWitness,
  audit: async () => (await import('./commands/audit.ts')).addAudit,
  replay: async () => (await import('./commands/replay.ts')).addReplay,
  completion: async () => (await import('./commands/completion.ts')).addCompletion,
}
/** What these print is about every command. */
const ofAll = ['completion']

const program = new Command('agent-rails')
  .description('Durable agent commerce: operators and recovery.')
  .version(packageVersion(), '--version', 'print the version')
  .showHelpAfterError()

const asked = process.argv[2] ?? ''
const one = Object.hasOwn(families, asked) && !ofAll.includes(asked) ? families[asked] : undefined
const needed = one !== undefined ? [one] : [...new Set(Object.values(families))]
if (asked !== '--version')
  for (const add of await Promise.all(needed.map((load) => load()))) add(program)

await program.parseAsync().catch((error: unknown) => {
  printError(errorText(error))
  process.exitCode = 1
})
