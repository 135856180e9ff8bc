import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema } from '../../activities/config/config.ts'
import { packageRoot } from '../../activities/config/package-root.ts'
import { searchAttributeFlags } from '../../temporal/search-attributes.ts'
import { betweenMarkers, configurationTable } from '../../worker/docs/configuration-table.ts'
import { verifies } from '../verifies.ts'

const read = (...path: string[]) => readFileSync(join(packageRoot, ...path), 'utf8')
const operations = read('docs', 'operations.md')

verifies('docs.operations', 'the configuration reference is the output of npm run docs', () => {
  expect(betweenMarkers(operations, 'configuration', configurationTable())).toBe(operations)
  for (const name of Object.keys(configSchema.shape))
    expect(operations).toContain(`| \`${name}\` | `)
  expect(operations).toContain('| `ASSET_CONTRACT_ADDRESS` | **required** | ')
  expect(operations).toContain('| `TASK_QUEUES` | `payouts,signing,transfers,callbacks,tasks` | ')
})

verifies('docs.operations', 'the search attributes of the page are those of the workflows', () => {
  for (const flag of searchAttributeFlags())
    expect(operations).toContain(`--name ${flag.replace('=', ' --type ')}`)
})

verifies('docs.operations', 'every command and every file that the pages name is there', () => {
  const pages = operations + read('docs', 'security.md')
  const names = [...pages.matchAll(/npx agent-rails (\w+)/g)].map(([, verb]) => verb)
  const program = [
    'cli.ts',
    ...readdirSync(join(packageRoot, 'worker', 'commands')).map((file) => join('commands', file)),
  ]
  const sources = program.map((file) => read('worker', file)).join('\n')
  for (const verb of names) expect(sources).toMatch(new RegExp(`\\.command\\('${verb}\\b`))
  for (const [, script] of pages.matchAll(/npm run ([\w:-]+)/g))
    expect(Object.keys(JSON.parse(read('package.json')).scripts)).toContain(script)
  for (const [, program] of pages.matchAll(/dist\/([\w/-]+)\.js/g))
    expect(read(`${program}.ts`)).toBeTruthy()
})

verifies(
  'docs.security',
  'each error code of the threat tables is one that the service gives',
  () => {
    const errors = read('workflows', 'domain', 'core', 'error-codes.ts')
    const codes = [...read('docs', 'security.md').matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(
      ([, code]) => code as string,
    )
    const receipts = ['payout_executed', 'payout_final', 'payout_dead', 'payout_voided']
    const others = ['money_moved', 'nonce_conflict', 'quote_token', ...receipts]
    expect(codes.length).toBeGreaterThan(20)
    for (const code of codes.filter((candidate) => !others.includes(candidate)))
      expect(errors, code).toMatch(new RegExp(`\\b${code}\\b`))
  },
)

test('a document without its markers is reported', () => {
  expect(() => betweenMarkers('nothing', 'configuration', 'x')).toThrow(
    '<!-- begin: configuration -->',
  )
})
