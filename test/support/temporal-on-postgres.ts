import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Connection } from '@temporalio/client'
import { packageRoot } from '../../activities/config/package-root.ts'
import { CLI_VERSION } from '../../temporal/server/version.ts'
import { Part } from '../../worker/stack/part.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { scratchDirectory } from './postgres.ts'

const run = promisify(execFile)
const module = join(packageRoot, 'temporal', 'server')
const cache = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'agent-rails',
  `temporal-${CLI_VERSION}`,
)
const SHARDS = 4

/** A Temporal server on PostgreSQL, as production and the containers have it, without any namespace; built once with Go. */
export async function startTemporalOnPostgres(
  postgresUrl: string,
): Promise<{ address: string; stop(): Promise<void> }> {
  const server = await build('temporal-server', 'go.temporal.io/server/cmd/server')
  await createSchemas(new URL(postgresUrl))
  const directory = await scratchDirectory()
  const ports = await findFree(8)
  const [frontend = 0] = ports
  await mkdir(join(directory, 'config'))
  await writeFile(
    join(directory, 'config', 'test.yaml'),
    JSON.stringify(configuration(new URL(postgresUrl), directory, ports)),
  )
  await writeFile(join(directory, 'dynamic.yaml'), '{}\n')
  const address = `127.0.0.1:${frontend}`
  const part = new Part({
    name: 'temporal on postgres',
    logFile: join(directory, 'temporal.log'),
    launch: async () => ({
      file: server,
      args: ['--root', directory, '--config', 'config', '--env', 'test', 'start'],
      env: process.env,
    }),
    probe: () => askSystem(address),
  })
  await part.start()
  await part.waitReady(90_000)
  return {
    address,
    stop: async () => {
      await part.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function build(name: string, path: string): Promise<string> {
  const binary = join(cache, name)
  if (!existsSync(binary)) await run('go', ['build', '-o', binary, path], { cwd: module })
  return binary
}

async function createSchemas(url: URL): Promise<void> {
  const tool = await build('temporal-sql-tool', 'go.temporal.io/server/cmd/tools/sql')
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Dir}}', 'go.temporal.io/server'], {
    cwd: module,
  })
  const login = [
    '--plugin',
    'postgres12',
    '--ep',
    url.hostname,
    '-p',
    url.port,
    '-u',
    url.username,
    '--pw',
    url.password,
  ]
  for (const [database, schema] of [
    ['temporal', 'temporal'],
    ['temporal_visibility', 'visibility'],
  ] as const) {
    const sql = (...args: string[]) => run(tool, [...login, '--db', database, ...args])
    await sql('create')
    await sql('setup-schema', '-v', '0.0')
    await sql(
      'update-schema',
      '-d',
      join(stdout.trim(), 'schema', 'postgresql', 'v12', schema, 'versioned'),
    )
  }
}

function configuration(url: URL, directory: string, ports: number[]) {
  const store = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: url.host,
      connectProtocol: 'tcp',
      user: url.username,
      password: url.password,
      maxConns: 10,
      maxIdleConns: 10,
      maxConnLifetime: '1h',
    },
  })
  const rpc = (index: number) => ({
    rpc: {
      grpcPort: ports[index * 2],
      membershipPort: ports[index * 2 + 1],
      bindOnLocalHost: true,
    },
  })
  const rpcAddress = `127.0.0.1:${ports[0]}`
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: SHARDS,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: { frontend: rpc(0), history: rpc(1), matching: rpc(2), worker: rpc(3) },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: rpcAddress },
    dynamicConfigClient: { filepath: join(directory, 'dynamic.yaml'), pollInterval: '60s' },
  }
}

async function askSystem(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000, interceptors: [] })
  try {
    await connection.withDeadline(Date.now() + 1_000, () =>
      connection.workflowService.listNamespaces({}),
    )
  } finally {
    await connection.close()
  }
}
