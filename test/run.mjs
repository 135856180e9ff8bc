// `npm test` runs every check, `npm run test:faults` the long runs under faults, and `.ci/run` both; the last line counts the tests.
// `npm test -- payouts` runs only the tests of one noun, `npm test -- test/api` only those of a path, both without the other checks.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOf } from './files-of.mjs'
import { endProcesses, processesLeft, RUN_VARIABLE } from './leftovers.mjs'
import { measureSlowness } from './slowness.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (path) => join(root, 'node_modules', path)
const [suite = 'tests', ...filters] = process.argv.slice(2)
const files = filters.flatMap((filter) => filesOf(filter, join(root, 'test')))

const checks = [
  ['types', bin('typescript/bin/tsc'), ['-p', 'tsconfig.json', '--noEmit']],
  ['format and lint', bin('@biomejs/biome/bin/biome'), ['check', '.']],
  ['unused code', bin('knip/bin/knip.js'), []],
  ['workflow bundle', join(root, 'dist/worker/bundle-workflows.js'), []],
]
const tests = { name: 'tests', projects: ['pure', 'shared', 'tests'] }
const faultTests = { name: 'fault tests', projects: ['faults', 'alone', 'timed'] }
const suites = { tests: [tests], faults: [faultTests], all: [tests, faultTests] }

const slowness = await measureSlowness()
console.log(`Limits of time are those of two quiet cores, times ${slowness.toFixed(1)}.`)

let interrupted = false
let passed = 0
let failed = 0
let skipped = 0
const results = []

if (suite !== 'faults' && filters.length === 0)
  for (const [name, program, args] of checks) {
    const code = await step(name, program, args)
    if (code !== 0) failed += 1
  }
failed += await step('Temporal server', join(root, 'dist/worker/stack/obtain-temporal.js'), [])
for (const { name, projects } of suites[suite]) results.push(await runTests(name, projects))
if (filters.length === 0) checkRequirements()
const skips = skipped > 0 ? `, ${skipped} skipped` : ''
console.log(`${passed} passed, ${failed} failed${skips}`)
process.exitCode = failed === 0 ? 0 : 1

/** Answers what became of each test. */
async function runTests(name, projects) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-rails-report-'))
  const report = join(folder, 'vitest.json')
  const run = randomUUID()
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  for (const project of projects) args.push('--project', project)
  args.push(...files)
  const env = { ...process.env, [RUN_VARIABLE]: run, TEST_SLOWNESS: String(slowness) }
  const code = await step(name, bin('vitest/vitest.mjs'), args, env)
  await expectNoneLeft(run)
  const read = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { testResults: [] }
  rmSync(folder, { recursive: true, force: true })
  const outcomes = read.testResults.flatMap(({ assertionResults }) => assertionResults)
  const count = (...states) => outcomes.filter(({ status }) => states.includes(status)).length
  passed += count('passed')
  skipped += count('skipped', 'pending', 'todo', 'disabled')
  // Vitest also ends with an error when no test has failed, such as an unhandled rejection or a file that does not load.
  failed += Math.max(count('failed'), code === 0 ? 0 : 1)
  return outcomes
}

/** A process that outlives its tests is a failure, and is ended. */
async function expectNoneLeft(run) {
  const left = await processesLeft(run)
  failed += left.length
  for (const { pid, command } of left)
    console.log(`Still running after the tests: ${pid} ${command}`)
  endProcesses(left)
}

/** Each requirement is proven by a test that passed. The fault tests prove the last of them, so `npm test` alone lists these. */
function checkRequirements() {
  const [required] = results.flat().flatMap(({ meta }) => (meta?.required ? [meta.required] : []))
  if (required === undefined) return
  const [proven, provenUnderFaults = new Set()] = results.map(provenBy)
  const left = required.filter((id) => !proven.has(id))
  const missing = left.filter((id) => !provenUnderFaults.has(id))
  console.log(`\n${required.length} requirements; only the fault tests prove ${left.length}:`)
  console.log(left.map((id) => `  ${id}`).join('\n'))
  if (suite !== 'all' || missing.length === 0) return
  failed += missing.length
  console.log(`No passed test proves:\n${missing.map((id) => `  ${id}`).join('\n')}`)
}

function provenBy(outcomes) {
  const done = outcomes.filter(({ status }) => status === 'passed')
  return new Set(done.flatMap(({ meta }) => meta?.requirements ?? []))
}

function step(name, program, args, env = process.env) {
  if (interrupted) return Promise.resolve(1)
  const begun = Date.now()
  console.log(`\n== ${name}`)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: 'inherit' })
    const pass = (signal) => {
      interrupted = true
      child.kill(signal)
    }
    process.on('SIGINT', pass).on('SIGTERM', pass)
    child.once('exit', (status) => {
      process.off('SIGINT', pass).off('SIGTERM', pass)
      const seconds = ((Date.now() - begun) / 1000).toFixed(1)
      console.log(`== ${name}: ${status === 0 ? 'ok' : 'failed'} (${seconds} s)`)
      resolve(status ?? 1)
    })
  })
}
