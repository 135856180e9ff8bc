// `npm run check:node-lts`: `npm test` on the current LTS of Node, in a fresh clone of what is committed.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_LTS = '26.10.0'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const cache = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'agent-rails',
  `node-${NODE_LTS}`,
)
const bin = join(cache, 'node_modules', 'node', 'bin')
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` }
const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-lts-'))
// Postgres runs as another user where this one is root, and has to pass through.
chmodSync(scratch, 0o711)
const clone = join(scratch, 'agent-rails')

try {
  obtainNode()
  run('git', ['clone', '--quiet', '--local', root, clone])
  console.log(`Node ${run('node', ['--version'], { stdio: 'pipe' }).trim()} in ${clone}`)
  run('npm', ['test', '--', ...process.argv.slice(2)], { cwd: clone })
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** The npm package `node` takes the binary out of a package for this platform in an install script, which npm runs only where allowed. */
function obtainNode() {
  if (existsSync(join(bin, 'node'))) return
  mkdirSync(cache, { recursive: true })
  writeFileSync(
    join(cache, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { node: true } }),
  )
  run('npm', ['install', '--no-audit', '--no-fund', '--no-save', `node@${NODE_LTS}`], {
    cwd: cache,
    env: process.env,
  })
}

function run(command, args, options = {}) {
  const { status, error, stdout } = spawnSync(command, args, {
    stdio: 'inherit',
    env,
    encoding: 'utf8',
    ...options,
  })
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}`)
  return stdout ?? ''
}
