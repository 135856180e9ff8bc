// `npm run chaos:mutations [-- --only NAME] [--seed S]`: the rail is broken on purpose, and the harness, or the tests that a break
// names, have to catch each break; the rail as it is has to pass. NAME is a part of a break's name, or `control`.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { inBrokenCopy } from './apply.ts'
import { type Break, breaks, type TestedBreak, testedBreaks } from './breaks.ts'

const control: Break = { name: 'control', edits: [], harness: ['--runs', '48'] }
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, seed: { type: 'string', default: '5' } },
})

const lines: { name: string; right: boolean; said: string }[] = []
for (const one of [control, ...breaks].filter(({ name }) => name.includes(values.only))) {
  const { code, said } = await harnessOn(one)
  // Anything but 0 and 1, such as a copy that does not compile, proves nothing.
  lines.push({
    name: one.name,
    right: code === (one === control ? 0 : 1) && said.startsWith('{'),
    said,
  })
  console.error(`${one.name}: the harness ended with ${code}`)
}
for (const one of testedBreaks.filter(({ name }) => name.includes(values.only))) {
  const said = await testsOn(one)
  const { failed, passed } = JSON.parse(said) as Record<'failed' | 'passed', number>
  // Where nothing passes, the copy does not run.
  lines.push({ name: one.name, right: failed > 0 && passed > 0, said })
  console.error(`${one.name}: ${failed} tests failed, ${passed} passed`)
}
console.table(lines.map(({ name, right, said }) => ({ name, right, found: foundIn(said) })))
process.exit(lines.length > 0 && lines.every(({ right }) => right) ? 0 : 1)

/** Runs the harness on a broken copy of the project; its exit code and the last line that it printed. */
function harnessOn({ edits, harness }: Break): Promise<{ code: number | null; said: string }> {
  return inBrokenCopy(edits, async (directory) => {
    const args = ['run', '--silent', 'chaos', '--', ...harness, '--seed', values.seed]
    const { code, out } = await run('npm', args, directory)
    return { code, said: out.trim().split('\n').at(-1) ?? '' }
  })
}

/** Runs the tests that a break names on a broken copy of the project; how many failed and passed, as JSON. */
function testsOn({ edits, tests }: TestedBreak): Promise<string> {
  return inBrokenCopy(edits, async (directory) => {
    const { out } = await run('npx', ['vitest', 'run', '--reporter=json', ...tests], directory)
    const { numFailedTests: failed, numPassedTests: passed } = JSON.parse(
      out.slice(out.indexOf('{"num')),
    )
    return JSON.stringify({ failed, passed })
  })
}

async function run(command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out }
}

function foundIn(said: string): string {
  if (!said.startsWith('{') || said.startsWith('{"failed"')) return said
  const { duplicates, lost, disagreements, stuck } = JSON.parse(said) as Record<string, number>
  return JSON.stringify({ duplicates, lost, disagreements, stuck })
}
