import type { Command } from 'commander'

/** `agent-rails doctor`: what a deployment stands on. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'look at everything that this deployment stands on, and at what waits or is wrong; exit 1 on a fault',
    )
    .option('--json', 'print {ok, checks, attention} as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { printReport } = await import('../doctor/examine.ts')
      process.exitCode = (await printReport(json === true)) ? 0 : 1
    })
}

/** `agent-rails restore-check`: whether a restored database is whole. */
export function addRestoreCheck(program: Command): void {
  program
    .command('restore-check')
    .description(
      'after a restore: all that doctor checks, the log against checkpoints from outside, and all rows against the chain; exit 1 when something has to be done',
    )
    .option(
      '--checkpoint <file-or-url...>',
      'checkpoints that are known outside, in addition to those of LOG_WITNESSES',
      [],
    )
    .option('--json', 'print {ok, checks} as JSON')
    .action(async ({ checkpoint, json }: { checkpoint: string[]; json?: true }) => {
      const { printRestoreCheck } = await import('../doctor/restore.ts')
      process.exitCode = (await printRestoreCheck(checkpoint, json === true)) ? 0 : 1
    })
}
