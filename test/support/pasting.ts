import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot as root } from '../../activities/config/package-root.ts'
import { freePortBase } from './port-base.ts'
import { copyProject } from './project-copy.ts'

/** A stack in a copy of the project, and terminals in its folder. */
export type PastingStack = {
  baseUrl: string
  /** A text with the hosts of this stack. */
  here(text: string): string
  /** Pastes text into a program that reads it, and answers all that it printed; throws when it fails. */
  paste(language: string, text: string): Promise<string>
  /** Runs a program in the copy's folder, and answers all that it printed; throws when it fails. */
  run(program: string, ...args: string[]): Promise<string>
  stop(): Promise<void>
}

/** Starts `npm start` in a copy, on ports of its own; what is pasted names those instead of 3000 and 3001. */
export async function startPastingStack(): Promise<PastingStack> {
  const base = await freePortBase()
  const here = (text: string) =>
    text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${base}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${base + 1}`)
  // Vitest has a BASE_URL of its own.
  const { BASE_URL: _viteBase, ...inherited } = process.env
  const env = { ...inherited, PORT_BASE: String(base) }
  const clone = copyProject('pasted')
  for (const example of readdirSync(join(clone, 'examples'), { recursive: true, encoding: 'utf8' }))
    rewrite(join(clone, 'examples', example), here)
  for (const built of ['dist', 'clients/typescript/dist'])
    cpSync(join(root, built), join(clone, built), { recursive: true })
  const stack = spawn('npm', ['start'], { cwd: clone, env })
  let said = ''
  for (const stream of [stack.stdout, stack.stderr]) stream.on('data', (chunk) => (said += chunk))
  while (!said.includes('Ctrl-C stops everything')) {
    if (stack.exitCode !== null) throw new Error(said)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    baseUrl: `http://127.0.0.1:${base}`,
    here,
    paste: (language, text) => {
      const [program, ...args] = programs[language] ?? []
      if (program === undefined) throw new Error(`nothing reads ${language}`)
      return run(program, args, here(text), { cwd: clone, env })
    },
    run: (program, ...args) => run(program, args, '', { cwd: clone, env }),
    stop: async () => {
      const ended = new Promise((resolve) => stack.once('exit', resolve))
      stack.kill('SIGINT')
      if (stack.exitCode === null) await ended
      rmSync(clone, { recursive: true, force: true })
    },
  }
}

function rewrite(path: string, here: (text: string) => string): void {
  if (statSync(path).isFile()) writeFileSync(path, here(readFileSync(path, 'utf8')))
}

/** What a reader pastes each language into. */
const programs: Readonly<Record<string, readonly string[]>> = {
  sh: ['bash', '-eu', '-o', 'pipefail'],
  ts: [process.execPath, '--input-type=module'],
  python: ['python3', '-'],
}

function run(
  program: string,
  args: string[],
  text: string,
  where: { cwd: string; env: NodeJS.ProcessEnv },
) {
  const child = spawn(program, args, where)
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (printed += chunk))
  child.stdin.end(text)
  return new Promise<string>((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(printed) : reject(new Error(`${program} ${code}:\n${printed}`)),
    )
  })
}
