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
