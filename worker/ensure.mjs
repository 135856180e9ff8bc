// Plain JavaScript without dependencies: this runs before anything is installed or built.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json. */
const root = fileURLToPath(new URL('..', import.meta.url))
const OLDEST_NODE = [20, 19]
// The embedded stack and the compiler are development packages, which NODE_ENV=production would leave out.
const INSTALL = ['ci', '--include=dev', '--no-audit', '--no-fund']
const SOURCES = ['workflows', 'activities', 'temporal', 'api', 'clients/typescript/src', 'worker']
const CONFIGS = [
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'clients/typescript/package.json',
]

/** Makes the checkout runnable: Node is new enough, dependencies are those of the lockfile, `dist/` is built from these sources. */
export async function ensure(say) {
  await ensureDependencies(say)
  const sources = digestOf([
    ...SOURCES.flatMap((folder) => filesUnder(join(root, folder))),
    ...CONFIGS.map((file) => join(root, file)),
  ])
  await step(join(root, 'dist/.agent-rails-sources'), sources, () => build(say))
}

/** Node is new enough and dependencies are those of the lockfile. */
export async function ensureDependencies(say) {
  checkNode()
  if (!isInstalled()) await slow(say, 'installing dependencies', 'npm', INSTALL)
}

async function build(say) {
  const program = (file) => [process.execPath, [join(root, file)]]
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // `npm run check` and `npm test` check the types, which takes as long again.
  await slow(say, 'building', process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck'])
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(join(root, 'dist/build.json'), JSON.stringify({ date }))
  await Promise.all([
    slow(say, 'bundling workflows', ...program('dist/worker/bundle-workflows.js')),
    slow(say, 'bundling programs', ...program('dist/worker/bundle-programs.js')),
    slow(say, 'making the client', ...program('dist/worker/client-package.js')),
    slow(say, 'bundling the console', ...program('dist/worker/bundle-console.js')),
    slow(say, 'bundling the reference', ...program('dist/worker/bundle-reference.js')),
    slow(say, 'bundling the verifier', ...program('dist/worker/bundle-verifier.js')),
  ])
}

/** Whether npm has installed what the lockfile says, but for optional packages of other platforms. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json')
  const same = (one, other) => one?.version === other.version && one.integrity === other.integrity
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, locked]) =>
      path === '' || same(installed[path], locked) || (locked.optional && !(path in installed)),
  )
}

function packagesOf(lockfile) {
  const file = join(root, lockfile)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {}
}

/** Runs a program in the foreground, passes signals on, and resolves with its exit code. */
export function runProgram(file, args) {
  const child = spawn(process.execPath, [join(root, file), ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  })
}

/** Optional packages are compiled with the headers that came with this Node, where they did, instead of downloaded ones. */
function withHeaders(env) {
  const prefix = dirname(dirname(process.execPath))
  const there = existsSync(join(prefix, 'include', 'node', 'node_api.h'))
  return there ? { npm_config_nodedir: prefix, ...env } : env
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  throw new Error(
    `agent-rails needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}`,
  )
}

async function step(stamp, digest, work) {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  await work()
  writeFileSync(stamp, digest)
}

function filesUnder(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

function digestOf(files) {
  const digest = createHash('sha256')
  for (const file of files.sort())
    digest
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return digest.digest('hex')
}

/** Runs a step quietly with its elapsed time shown; what it printed is shown when it fails. */
async function slow(say, what, command, args) {
  const begun = Date.now()
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`
  say(`${what} …`)
  const timer = setInterval(() => say(`${what} … ${seconds()}`), 10_000)
  const { code, output } = await capture(command, args)
  clearInterval(timer)
  if (code !== 0) throw new Error(`${what} failed (${command} ${args.join(' ')}):\n${output}`)
  say(`${what}: done in ${seconds()}`)
}

function capture(command, args) {
  return new Promise((resolve, reject) => {
    const options = { cwd: root, env: withHeaders(process.env), stdio: ['ignore', 'pipe', 'pipe'] }
    const child = spawn(command, args, options)
    let output = ''
    const keep = (chunk) => {
      output += chunk
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
