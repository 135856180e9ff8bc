import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../../activities/config.ts'
import { packageRoot } from '../../activities/package-root.ts'
import { type Check, type Finding, fault, fine, look } from './check.ts'

const OLDEST_NODE = [20, 19] as const
const FREE_BYTES_MIN = 1024 ** 3

/** What holds of this machine whatever is configured: the versions, and room on the disk that `directory` is on. */
export function checkMachine(directory: string): Promise<Check[]> {
  return Promise.all([
    look('node', 'Install the current LTS of Node.', () => judgeNode(process.versions.node)),
    look('package', 'Run npm ci.', () => fine(`agent-rails ${packageVersion()}`)),
    look('disk', 'Name a DATA_DIR that exists.', async () => {
      const place = nearest(resolve(directory))
      const { bavail, bsize } = await statfs(place)
      return judgeDisk(bavail * bsize, place)
    }),
  ])
}

/** Each port is free, or it is our own API that listens there. */
export function checkPorts(config: Pick<Config, 'BIND_HOST' | 'BASE_PORT' | 'OS_PORT'>): Promise<Check[]> {
  const ports = { 'port of base_url': config.BASE_PORT, 'port of os_url': config.OS_PORT }
  return Promise.all(
    Object.entries(ports).map(([name, port]) =>
      look(name, `Let this user listen on ${config.BIND_HOST}.`, async () =>
        (await isFree(port, config.BIND_HOST))
          ? fine(`${port} is free: no API runs here`)
          : judgeListener(port, await isOurApi(port, config.BIND_HOST)),
      ),
    ),
  )
}

/** Judges the version of Node, such as `20.19.0`. */
export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  const old = major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
  return old ? fault(`${version} is too old`, `Install Node ${OLDEST_NODE.join('.')} or newer.`) : fine(version)
}

/** Judges the bytes that are free where the data is. */
export function judgeDisk(freeBytes: number, place: string): Finding {
  const text = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free at ${place}`
  return freeBytes < FREE_BYTES_MIN ? fault(text, 'Free at least 1 GiB, or move DATA_DIR.') : fine(text)
}

function judgeListener(port: number, ours: boolean): Finding {
  if (ours) return fine(`our API answers on ${port}`)
  return fault(`${port} is taken by another program`, 'Stop what listens there, or set another BASE_PORT and OS_PORT.')
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

/** The folder itself, or the nearest one above it that is there. */
function nearest(directory: string): string {
  return existsSync(directory) ? directory : nearest(dirname(directory))
}
