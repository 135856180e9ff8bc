import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { packageRoot } from '../../activities/config/package-root.ts'

/** `agent-rails demo`: a sandbox run and a payout on the embedded stack, and a page to kill its worker. */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description(
      'show a sandbox run and a payout on the embedded stack, which it starts where none runs, and then a page to kill the worker during a payment',
    )
    .option('--once', 'end after the payout')
    .action(async () => {
      // A program of its own: what the embedded stack needs is no part of the bundled commands.
      await import(pathToFileURL(join(packageRoot, 'dist', 'worker', 'demo.js')).href)
    })
}
