import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { libsecp256k1 } from '../../activities/chain/secp256k1.ts'
import type { Config } from '../../activities/config/config.ts'
import { packageRoot } from '../../activities/config/package-root.ts'
import { type Check, type Finding, fault, fine, runCheck, warning } from './check.ts'

const OLDEST_NODE = [20, 19] as const
const FREE_BYTES_MIN = 1024 ** 3

/** Checks what needs no configuration: versions, and free space on the disk of `directory`. */
export function checkMachine(directory: string): Promise<Check[]> {
  return Promise.all([
    runCheck('node', 'Install the current LTS of Node.', () => checkNode(process.versions.node)),
    runCheck('package', 'Run npm ci.', () => fine(`agent-rails ${packageVersion()}`)),
    runCheck('wallet signatures', 'Run npm ci.', () => checkSignatures(libsecp256k1 !== undefined)),
    runCheck('disk', 'Name a DATA_DIR that exists.', async () => {
      const place = nearest(resolve(directory))
      const { bavail, bsize } = await statfs(place)
      return checkDisk(bavail * bsize, place)
    }),
  ])
}

/** Checks that each port is free or that our own API listens on it. */
export function checkPorts(
  config: Pick<Config, 'BIND_HOST' | 'BASE_PORT' | 'OS_PORT'>,
): Promise<Check[]> {
  const ports = { 'port of base_url': config.BASE_PORT, 'port of os_url': config.OS_PORT }
  return Promise.all(
    Object.entries(ports).map(([name, port]) =>
      runCheck(name, `Allow this user to listen on ${config.BIND_HOST}.`, async () =>
        (await isFree(port, config.BIND_HOST))
          ? fine(`${port} is free: no API runs here`)
          : checkListener(port, await isOurApi(port, config.BIND_HOST)),
      ),
    ),
  )
}

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  const old = major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
  return old
    ? fault(`${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`)
    : fine(version)
}

export function checkDisk(freeBytes: number, place: string): Finding {
  const text = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free at ${place}`
  return freeBytes < FREE_BYTES_MIN
    ? fault(text, 'Free at least 1 GiB on this machine, or move DATA_DIR.')
    : fine(text)
}

/** Without libsecp256k1 everything works, but each wallet proof costs 30 times as much. */
export function checkSignatures(native: boolean): Finding {
  if (native) return fine('verified with libsecp256k1')
  return warning(
    'verified in JavaScript, which is 30 times slower',
    'Run on a platform for which the package secp256k1 has a build, such as Linux on x64.',
  )
}

function checkListener(port: number, ours: boolean): Finding {
  if (ours) return fine(`our API answers on ${port}`)
  return fault(
    `${port} is taken by another program`,
    'Stop that program, or set another BASE_PORT and OS_PORT.',
  )
}

async function isOurApi(port: number, host: string): Promise<boolean> {
  const url = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}/healthz`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    return answer.ok && answer.headers.has('x-interface-version')
  } catch {
    return false
  }
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
}

/** The folder itself, or the nearest parent that exists. */
function nearest(directory: string): string {
  return existsSync(directory) ? directory : nearest(dirname(directory))
}
