import type { Command } from 'commander'
import { z } from 'zod'
import type { Report } from '#domain/verification/report.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import { print, printJson } from '../print.ts'

type Options = { keys?: string; input?: string; upload?: string[]; json?: true }

/** What each verdict means, and how the program ends with it. */
const verdicts: Record<Report['verdict'], { says: string; code: number }> = {
  proven: { says: 'proven', code: 0 },
  refused: { says: 'refused: the checks that failed say why', code: 1 },
  indeterminate: {
    says: 'indeterminate: its keys do not prove who signed it or when, or its result is withheld',
    code: 2,
  },
}

/** `agent-rails replay FILE`: needs neither the network nor a database. */
export function addReplay(program: Command): void {
  program
    .command('replay <file>')
    .description(
      'verify a replay package and do its work again, offline; exit 1 where it is refused, 2 where it is not proven',
    )
    .option(
      '--keys <file>',
      'a key set (/.well-known/jwks.json) that was saved before; without it, nothing is proven',
    )
    .option('--input <file>', 'the run’s input as JSON, where the package holds only its digest')
    .option(
      '--upload <files...>',
      'the lists that the input names by digest: .csv as CSV, others as JSON Lines',
    )
    .option('--json', 'print {verdict, checks, keys} as JSON')
    .action(async (file: string, { keys, input, upload = [], json }: Options) => {
      const { KeySet } = await import('#domain/receipts/key-set.ts')
      const value = readJsonFile(file, z.unknown())
      const given = input === undefined ? {} : { input: readJsonFile(input, z.unknown()) }
      const trusted = keys === undefined ? {} : { keys: readJsonFile(keys, KeySet) }
      const { replayOffline } = await import('../replay-offline.ts')
      const report = await replayOffline(value, { ...given, ...trusted }, upload)
      if (json === true) printJson(report)
      else printReport(report, keys)
      process.exitCode = verdicts[report.verdict].code
    })
}

function printReport({ verdict, checks, keys }: Report, saved: string | undefined): void {
  for (const { check, ok, detail } of checks)
    print(`${ok ? 'ok' : 'NO'}  ${check.padEnd(20)} ${detail}`)
  for (const { kid, standing } of keys) print(`key ${kid}, ${standing}`)
  if (saved === undefined)
    print(
      'by the key set in the package, which says only that it agrees with itself; --keys proves who signed it',
    )
  print(verdicts[verdict].says)
}
