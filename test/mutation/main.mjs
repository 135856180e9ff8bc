// `npm run test:mutation`: Stryker changes the domain code, one place at a time, and the domain's tests must fail.
// `npm run test:mutation -- payouts tasks/money.ts` mutates only these folders or files of workflows/domain.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'

const root = fileURLToPath(new URL('../..', import.meta.url))
const domain = 'workflows/domain'
const leastScore = 90
const detected = ['Killed', 'Timeout']

/** The folders whose score the threshold holds. */
const folders = ['agents', 'callbacks', 'credit', 'payments', 'payouts', 'tasks']
/** Texts for readers: no test should repeat them. */
const texts = [`!${domain}/**/error-help.ts`]

process.chdir(root)
const parts = process.argv.length > 2 ? process.argv.slice(2) : folders
const results = await new Stryker({
  mutate: [
    ...parts.map((part) => `${domain}/${part.endsWith('.ts') ? part : `${part}/**/*.ts`}`),
    ...texts,
  ],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  // A mutant of a module's constants would run every test file that imports the module: hours instead of minutes.
  ignoreStatic: true,
  concurrency: Math.max(1, availableParallelism() - 1),
  // Stryker rewrites a tsconfig through TypeScript's classic API, which TypeScript 7 does not have.
  tsconfigFile: 'none.json',
  disableTypeChecks: false,
  ignorePatterns: ['dist', '.data', 'coverage', 'docs', 'temporal/histories', 'clients'],
  tempDirName: '.data/mutation',
  reporters: ['clear-text'],
  clearTextReporter: {
    allowColor: false,
    allowEmojis: false,
    reportTests: false,
    reportMutants: false,
  },
}).runMutationTest()

for (const { fileName, location, replacement, status } of results)
  if (status === 'Survived' || status === 'NoCoverage')
    console.log(
      `${status} ${place(fileName, location.start)}: ${original(fileName, location)} → ${replacement}`,
    )

const covered = results.filter(({ status }) => [...detected, 'Survived'].includes(status))
const killed = covered.filter(({ status }) => detected.includes(status))
const score = (100 * killed.length) / covered.length
console.log(
  `${killed.length} of ${covered.length} covered mutants were detected: ${score.toFixed(1)} %`,
)
if (!(score >= leastScore)) {
  console.error(`At least ${leastScore} % must be detected.`)
  process.exitCode = 1
}

function place(fileName, { line, column }) {
  return `${fileName.slice(fileName.indexOf(domain))}:${line}:${column}`
}

function original(fileName, { start, end }) {
  const lines = readFileSync(join(root, fileName.slice(fileName.indexOf(domain))), 'utf8').split(
    '\n',
  )
  const text = lines[start.line - 1] ?? ''
  if (start.line !== end.line) return `${text.slice(start.column - 1)} …`
  return text.slice(start.column - 1, end.column - 1)
}
