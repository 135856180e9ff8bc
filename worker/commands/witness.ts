import { type Command, InvalidArgumentError } from 'commander'
import type { WitnessOptions } from '../witness/run.ts'
import { jsonOption } from './by-operator.ts'

/** `agent-rails witness URL`: a process of its own, best on a machine that the operator of the log does not control. */
export function addWitness(program: Command): void {
  jsonOption(program.command('witness <url>'))
    .description(
      'follow a transparency log, and cosign each checkpoint that keeps everything that the checkpoints before it had',
    )
    .option(
      '--log-key <key>',
      'verifier key of the log, NAME+ID+KEY: needed the first time, and again when the log has a new one; all are kept',
    )
    .option('--directory <path>', 'where the key and the last checkpoint are kept', 'witness')
    .option('--name <name>', 'what the witness signs as, such as witness.example/w1; kept too')
    .option('--listen <address>', 'where cosignatures are served', readAddress, {
      host: '127.0.0.1',
      port: 3010,
    })
    .option('--every <seconds>', 'between two looks at the log', readSeconds, 10)
    .option('--once', 'look at the log once, serve nothing, and exit')
    .action(async (url: string, options: WitnessOptions) => {
      const { runWitness } = await import('../witness/run.ts')
      process.exitCode = await runWitness(url, options)
    })
}

/** `HOST:PORT` or a port on loopback. */
function readAddress(given: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]:|([^:]+):)?(\d{1,5})$/.exec(given) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535)
    throw new InvalidArgumentError('HOST:PORT, or a port of 127.0.0.1')
  return { host: bracketed ?? plain ?? '127.0.0.1', port }
}

function readSeconds(given: string): number {
  const seconds = Number(given)
  if (!(seconds >= 1 && seconds <= 3600)) throw new InvalidArgumentError('1 to 3600 seconds')
  return seconds
}
