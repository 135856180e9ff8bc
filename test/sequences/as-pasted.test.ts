import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { read, root } from '../docs/pictures.ts'
import { verifies } from '../verifies.ts'

const clone = mkdtempSync(join(tmpdir(), 'agent-rails-pasted-'))
// Below the ports that the system gives out, and apart from those of other tests of whole starts.
const base = 28_000 - (process.pid % 300) * 10
// Vitest has a BASE_URL of its own.
const { BASE_URL: _viteBase, ...inherited } = process.env
const env = { ...inherited, PORT_BASE: String(base) }
let stack: ChildProcess
let said = ''

/** Everything that is committed, built; what is installed is not installed again. */
function makeClone(): void {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.split('\n').filter((one) => one !== '' && existsSync(join(root, one)))) {
    mkdirSync(join(clone, dirname(file)), { recursive: true })
    if (file.startsWith('examples/')) writeFileSync(join(clone, file), here(read(file)))
    else cpSync(join(root, file), join(clone, file))
  }
  for (const built of ['dist', 'clients/typescript/dist'])
    cpSync(join(root, built), join(clone, built), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
}

beforeAll(async () => {
  makeClone()
  stack = spawn('npm', ['start'], { cwd: clone, env })
  for (const stream of [stack.stdout, stack.stderr]) stream?.on('data', (chunk) => (said += chunk))
  while (!said.includes('Ctrl-C stops everything')) {
    if (stack.exitCode !== null) throw new Error(said)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}, 180_000)
afterAll(async () => {
  const ended = new Promise((resolve) => stack.once('exit', resolve))
  stack.kill('SIGINT')
  if (stack.exitCode === null) await ended
  rmSync(clone, { recursive: true, force: true })
})

type Block = { language: string; code: string }
const blocksOf = (page: string): Block[] =>
  [...read(page).matchAll(/^```(sh|ts|python)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
const here = (text: string) =>
  text.replaceAll('127.0.0.1:3000', `127.0.0.1:${base}`).replaceAll('127.0.0.1:3001', `127.0.0.1:${base + 1}`)

/** Pastes text into a program that reads it, and answers all that it printed; throws when it fails. */
function paste(program: string, args: string[], text: string, cwd = clone): Promise<string> {
  const child = spawn(program, args, { cwd, env })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  child.stdin.end(text)
  return new Promise((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`${program} ${code}:\n${printed}`)),
    )
  })
}

const shell = (text: string) => paste('bash', ['-eu', '-o', 'pipefail'], here(text))
const programs: Record<string, (code: string) => Promise<string>> = {
  sh: shell,
  ts: (code) => paste(process.execPath, ['--input-type=module'], here(code)),
  python: (code) => paste('python3', ['-'], here(code)),
}

verifies(
  'docs.as-pasted',
  'every snippet of the README works as pasted, in order, on one stack',
  async () => {
    const [commands, ...blocks] = blocksOf('README.md')
    expect(commands?.code).toMatch(/^npm start .*\nnpm test .*\n$/)
    expect(blocks.map(({ language }) => language)).toEqual(['sh', 'ts', 'python', 'sh', 'sh', 'ts', 'sh', 'sh'])
    const printed: string[] = []
    for (const { language, code } of blocks) printed.push(await programs[language]!(code))
    const [example, typescript, python, curl, piped, payout, calls, operator] = printed
    for (const one of [typescript, python, curl]) expect(one).toContain('soc2_evidence_packet')
    expect(example).toBeDefined()
    for (const one of [piped, payout]) expect(one).toMatch(/executed +0x[0-9a-f]{64}/)
    expect(calls?.match(/"state": ?"created"/g)).toHaveLength(2)
    expect(operator).toContain('proven')
  },
  180_000,
)

verifies('docs.as-pasted', 'no example pays an account whose key is published', () => {
  const published = /0x(70997970c51812dc3a010c7d01b50e0d17dc79c8|f39fd6e51aad88f6f4ce6ab8827279cfffb92266)/i
  const pages = execFileSync('git', ['ls-files', 'README.md', 'docs/*.md', 'examples/*', 'api/surfaces/pages/*'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(
    pages
      .trim()
      .split('\n')
      .filter((page) => published.test(read(page))),
  ).toEqual([])
})
