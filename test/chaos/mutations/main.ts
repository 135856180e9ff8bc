// `npm run chaos:mutations [-- --only NAME] [--seed S]`: the rail is broken on purpose, and the harness has to catch each break;
// the rail as it is has to pass. NAME is a part of a break's name, or `control`.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../../../activities/package-root.ts'
import { applyEdits } from './apply.ts'
import { type Break, breaks } from './breaks.ts'

const control: Break = { name: 'control', edits: [], harness: ['--runs', '48'] }
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, seed: { type: 'string', default: '5' } },
})

const lines: { name: string; right: boolean; said: string }[] = []
for (const one of [control, ...breaks].filter(({ name }) => name.includes(values.only))) {
  const { code, said } = await harnessOn(one)
  // Anything but 0 and 1, such as a copy that does not compile, proves nothing.
  lines.push({ name: one.name, right: code === (one === control ? 0 : 1) && said.startsWith('{'), said })
  console.error(`${one.name}: the harness ended with ${code}`)
}
console.table(lines.map(({ name, right, said }) => ({ name, right, found: foundIn(said) })))
process.exit(lines.length > 0 && lines.every(({ right }) => right) ? 0 : 1)

/** Runs the harness on a broken copy of the project; its exit code and the last line that it printed. */
async function harnessOn({ edits, harness }: Break): Promise<{ code: number | null; said: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-rails-mutation-'))
  try {
    const leftOut = /^(node_modules|dist|\.git|\.data)$/
    cpSync(packageRoot, directory, {
      recursive: true,
      filter: (path) => !leftOut.test(relative(packageRoot, path)),
    })
    symlinkSync(join(packageRoot, 'node_modules'), join(directory, 'node_modules'))
    applyEdits(directory, edits)
    const args = ['run', '--silent', 'chaos', '--', ...harness, '--seed', values.seed]
    const child = spawn('npm', args, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
    return { code, said: out.trim().split('\n').at(-1) ?? '' }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function foundIn(said: string): string {
  if (!said.startsWith('{')) return said
  const { duplicates, lost, disagreements, stuck } = JSON.parse(said) as Record<string, number>
  return JSON.stringify({ duplicates, lost, disagreements, stuck })
}
