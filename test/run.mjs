// `npm test` runs every check in turn, `npm run test:faults` the fault tests, and `.ci/run` both; the last line counts them.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (path) => join(root, 'node_modules', path)
const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-report-'))
const [suite = 'tests', ...filters] = process.argv.slice(2)
let interrupted = false

const checks = [
  ['types', bin('typescript/bin/tsc'), ['-p', 'tsconfig.json', '--noEmit']],
  ['format and lint', bin('@biomejs/biome/bin/biome'), ['check', '.']],
  ['workflow bundle', join(root, 'dist/worker/bundle.js'), []],
]
const suites = { tests: [['tests', []]], faults: [['fault tests', ['--config', 'test/faults/vitest.config.ts']]] }
suites.all = [...suites.tests, ...suites.faults]

const counted = { passed: 0, failed: 0, skipped: 0 }
if (suite !== 'faults')
  for (const [name, program, args] of checks) counted.failed += (await step(name, program, args)) === 0 ? 0 : 1
for (const [index, [name, config]] of suites[suite].entries()) {
  const report = join(scratch, `vitest-${index}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const code = await step(name, bin('vitest/vitest.mjs'), ['run', ...config, ...reporters, ...filters])
  const { passed, failed, skipped } = count(report)
  counted.passed += passed
  counted.skipped += skipped
  // Vitest also ends with an error when nothing it counts has failed, such as an unhandled rejection or a file that does not load.
  counted.failed += failed + (code !== 0 && failed === 0 ? 1 : 0)
}
rmSync(scratch, { recursive: true, force: true })
const { passed, failed, skipped } = counted
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed === 0 ? 0 : 1

function step(name, program, args) {
  if (interrupted) return Promise.resolve(1)
  const begun = Date.now()
  console.log(`\n== ${name}`)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' })
    const pass = (signal) => {
      interrupted = true
      child.kill(signal)
    }
    process.on('SIGINT', pass).on('SIGTERM', pass)
    child.once('exit', (status) => {
      process.off('SIGINT', pass).off('SIGTERM', pass)
      console.log(`== ${name}: ${status === 0 ? 'ok' : 'failed'} (${((Date.now() - begun) / 1000).toFixed(1)} s)`)
      resolve(status ?? 1)
    })
  })
}

function count(report) {
  if (!existsSync(report)) return { passed: 0, failed: 0, skipped: 0 }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, 'utf8'))
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests }
}
