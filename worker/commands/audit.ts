import type { Command } from 'commander'
import type { AuditOptions } from '../audit/audit.ts'
import { type Output, print, printJson } from '../print.ts'
import { jsonOption } from './by-operator.ts'

/** `agent-rails audit URL`: needs nothing of the service but what is public. */
export function addAudit(program: Command): void {
  jsonOption(program.command('audit <url>'))
    .description(
      'read a whole transparency log and compare it with kept checkpoints and receipts; exit 1 where it deceived',
    )
    .requiredOption(
      '--material <directory>',
      'what was kept: .checkpoint, .jws, .json with receipts, .tlog-proof',
    )
    .option(
      '--log-key <keys...>',
      'verifier keys of the log; without them, log.vkey in the material',
      [],
    )
    .option('--witness-key <keys...>', 'verifier keys of the witnesses whose times count', [])
    .option('--witness <urls...>', 'witnesses whose last checkpoint is compared too', [])
    .option('--keys <file>', 'a saved key set; without it, /.well-known/jwks.json of the service')
    .option('--no-keep', 'do not add the checkpoint of the log to the material')
    .action(async (url: string, options: AuditOptions & Output) => {
      const { runAudit } = await import('../audit/audit.ts')
      const audit = await runAudit(url, options)
      if (options.json === true) printJson(audit)
      else printAudit(audit)
      process.exitCode = audit.verdict === 'honest' ? 0 : 1
    })
}

type Audit = Awaited<ReturnType<typeof import('../audit/audit.ts')['runAudit']>>

function printAudit({ verdict, findings, ignored, ...counts }: Audit): void {
  for (const { deception, subject, detail } of findings)
    print(`NO  ${deception}  ${subject}: ${detail}`)
  for (const { file, reason } of ignored) print(`ignored  ${file}: ${reason}`)
  const { leaves, checkpoints, cosigned, receipts } = counts
  print(
    `${leaves} leaves against ${checkpoints} checkpoints, ${cosigned} of them cosigned, and ${receipts} receipts`,
  )
  print(verdict)
}
