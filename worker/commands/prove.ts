import type { Command } from 'commander'
import { type Output, show } from '../print.ts'
import { jsonOption } from './by-operator.ts'

/** `agent-rails prove`: for calls typed by hand against the local stack. */
export function addProve(program: Command): void {
  jsonOption(program.command('prove <path> <body>'))
    .description(
      'print the X-Service-Wallet-Proof header of a POST by an account of the local chain',
    )
    .option('--agent <number>', 'which of the three agents signs', '0')
    .action(async (path: string, body: string, options: Output & { agent: string }) => {
      const { proveCall } = await import('../wallet-proof.ts')
      const proof = await proveCall(path, JSON.parse(body), Number(options.agent))
      show(options, { 'X-Service-Wallet-Proof': proof }, () => proof)
    })
}
