import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { rails } from '#domain/rails/index.ts'
import { packetopsInput } from '#domain/rails/packetops/index.ts'
import {
  ChildDied,
  childFlags,
  type RailPool,
} from '../../../../activities/runs/isolation/rail-pool.ts'
import { eventually } from '../../../support/agent.ts'
import { startRailPool } from '../../../support/rail-pool.ts'
import { within } from '../../../support/slowness.ts'
import { verifies } from '../../../verifies.ts'

const MB = 1024 * 1024
const pools: RailPool[] = []
const poolOf = (...changes: Parameters<typeof startRailPool>) => {
  const pool = startRailPool(...changes)
  pools.push(pool)
  return pool
}
afterAll(async () => {
  for (const pool of pools) await pool.close()
})

const upload = { invoices: { sha256: 'a'.repeat(64) }, payments: [] }
/** Endless rows, so that a reader needs endless time and memory. */
function* endless(more: (at: number) => object) {
  for (let at = 0; ; at += 1_000)
    yield Buffer.from(
      Array.from({ length: 1_000 }, (_, index) => `${JSON.stringify(more(at + index))}\n`).join(''),
    )
}
const invoice = (id: string) => ({
  id,
  amount_minor: 1,
  currency: 'USD',
  counterparty: 'a',
  due_at: '2026-01-01',
})
const runEndless = (
  pool: Pick<RailPool, 'run'>,
  id: (at: number) => string,
  signal?: AbortSignal,
) =>
  pool.run(
    { kind: 'work', tier: 'pro', rail: 'financeops', value: upload, lists: { invoices: 'jsonl' } },
    { invoices: Readable.from(endless((at) => invoice(id(at)))) },
    signal,
  )
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof DomainError)) throw error
  return error.refusal
}

verifies(
  'isolation.processes',
  'every rail does its work in a process of the pool as it does here',
  async () => {
    const pool = poolOf()
    for (const { key, sandboxInput, work } of rails) {
      const apart = await pool.run({
        kind: 'work',
        tier: 'pro',
        rail: key,
        value: sandboxInput,
        lists: {},
      })
      expect(digestOf(apart), key).toBe(digestOf(work(sandboxInput)))
    }
  },
)

verifies(
  'isolation.limits',
  'work over its processor time is killed; the next job succeeds',
  async () => {
    const pool = poolOf({ cpuMs: 1_500, wallMs: 600_000 })
    const begun = performance.now()
    const [first] = rails
    const fine = async () =>
      expect(
        await pool.run({
          kind: 'work',
          tier: 'pro',
          rail: 'packetops',
          value: first?.sandboxInput,
          lists: {},
        }),
      ).toBeTruthy()
    // The same id over and over takes time, and hardly any memory until then.
    const refused = refusalOf(runEndless(pool, (at) => `i${at % 10}`))
    await fine()
    expect(await refused).toMatchObject({
      code: 'input_too_complex',
      detail: expect.stringContaining('processor time'),
    })
    expect(performance.now() - begun).toBeLessThan(within(60_000))
    await fine()
  },
)

verifies(
  'isolation.public-queues',
  'a queue does not wait for all that waits in another',
  async () => {
    const pool = poolOf({ processes: 1, cpuMs: 1_000 })
    const ends: string[] = []
    const crowd = Array.from({ length: 3 }, () =>
      refusalOf(runEndless(pool.queue('crowd'), (at) => `i${at % 10}`)).finally(() =>
        ends.push('crowd'),
      ),
    )
    const job = { kind: 'work', tier: 'pro', rail: 'packetops', lists: {} } as const
    await pool.queue('other').run({ ...job, value: packetopsInput })
    ends.push('other')
    await Promise.all(crowd)
    expect(ends).toEqual(['crowd', 'other', 'crowd', 'crowd'])
  },
)

verifies('isolation.limits', 'work over its memory is killed and refused', async () => {
  const pool = poolOf({ memoryBytes: 200 * MB })
  const refusal = await refusalOf(runEndless(pool, (at) => `i${at}`))
  expect(refusal).toMatchObject({
    code: 'input_too_complex',
    detail: 'the work took more than 200 MB of memory',
  })
})

verifies('isolation.limits', 'work that waits permanently is ended by the clock', async () => {
  // A child needs some of this for its start; one that has not begun the work is no verdict on the input.
  const wallMs = within(8_000)
  const pool = poolOf({ wallMs })
  const stalled = Readable.from(
    (async function* () {
      yield Buffer.from('\n')
      await sleep(10 * wallMs, undefined, { ref: false })
    })(),
  )
  const work = pool.run(
    { kind: 'work', tier: 'pro', rail: 'financeops', value: upload, lists: { invoices: 'jsonl' } },
    { invoices: stalled },
  )
  expect(await refusalOf(work)).toMatchObject({
    code: 'input_too_complex',
    detail: `the work took longer than ${wallMs / 1_000} s`,
  })
})

verifies(
  'isolation.limits',
  'a caller’s abort or a killed child is no verdict on the input',
  async () => {
    const pool = poolOf()
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('\n')
        throw new Error('the database is gone')
      })(),
    )
    const job = {
      kind: 'work',
      tier: 'pro',
      rail: 'financeops',
      value: upload,
      lists: { invoices: 'jsonl' },
    } as const
    await expect(pool.run(job, { invoices: broken })).rejects.toThrow('the database is gone')
    const stop = AbortSignal.timeout(500)
    await expect(runEndless(pool, (at) => `i${at % 10}`, stop)).rejects.toThrow('timeout')
    // The child of the stopped job may still work, and is not the one to kill.
    const others = poolChildren()
    let taken = 0
    const killed = runEndless(poolOf({ processes: 1 }), (at) => {
      taken = at
      return `i${at % 10}`
    })
    const kill = async () => {
      // A child that has not begun is no child that died at work.
      await eventually(
        async () => taken,
        (rows) => rows > 0,
      )
      const pids = poolChildren().filter((pid) => !others.includes(pid))
      expect(pids).toHaveLength(1)
      process.kill(Number(pids[0]), 'SIGKILL')
    }
    await Promise.all([expect(killed).rejects.toBeInstanceOf(ChildDied), kill()])
  },
)

verifies(
  'isolation.limits',
  'a child that dies at its start leaves no job waiting and no verdict',
  async () => {
    const pool = poolOf({ memoryBytes: 4 * MB })
    const [first] = rails
    const job = {
      kind: 'work',
      tier: 'pro',
      rail: 'packetops',
      value: first?.sandboxInput,
      lists: {},
    } as const
    const deaths = await Promise.all(
      [0, 1, 2].map(() => pool.run(job).catch((error: unknown) => error)),
    )
    for (const death of deaths) {
      expect(death).toMatchObject({ message: 'the child process ended before it began the work' })
      expect(death).not.toBeInstanceOf(ChildDied)
    }
  },
)

verifies(
  'isolation.limits',
  'a job that is cancelled before a child takes it never starts',
  async () => {
    const pool = poolOf({ processes: 1 })
    const [first] = rails
    const job = {
      kind: 'work',
      tier: 'pro',
      rail: 'packetops',
      value: first?.sandboxInput,
      lists: {},
    } as const
    await expect(pool.run(job, {}, AbortSignal.timeout(1))).rejects.toThrow('timeout')
    expect(await pool.run(job)).toBeTruthy()
  },
)

verifies(
  'isolation.network',
  'a child process reaches no server by any Node interface',
  async () => {
    let connections = 0
    const server = createServer((_request, response) => response.end()).on('connection', () => {
      connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const datagrams = createSocket('udp4').on('message', () => {
      connections += 1
    })
    await new Promise<void>((resolve) => datagrams.bind(port, '127.0.0.1', resolve))
    const probe = `
      process.on('uncaughtException', () => undefined)
      const { once } = await import('node:events')
      const [net, tls, http, https, http2, dgram, dns] = await Promise.all(
        ['net', 'tls', 'http', 'https', 'http2', 'dgram', 'dns'].map((name) => import('node:' + name)))
      const port = ${port}, host = '127.0.0.1'
      const udp = () => new Promise((resolve, reject) =>
        dgram.createSocket('udp4').on('error', reject).send('x', port, host, (error) => error ? reject(error) : resolve()))
      const socket = () => new Promise((resolve, reject) => {
        const ws = new WebSocket('ws://127.0.0.1:' + port)
        ws.onerror = () => reject(new Error('refused'))
        ws.onopen = resolve
      })
      const ways = {
        net: () => once(net.connect(port, host), 'connect'),
        createConnection: () => once(net.createConnection({ port, host }), 'connect'),
        socket: () => once(new net.Socket().connect(port, host), 'connect'),
        tls: () => once(tls.connect(port, host), 'secureConnect'),
        http: () => once(http.get({ port, host }), 'response'),
        https: () => once(https.get({ port, host }), 'response'),
        http2: () => once(http2.connect('http://127.0.0.1:' + port), 'connect'),
        fetch: () => fetch('http://127.0.0.1:' + port),
        listen: () => once(net.createServer().listen(0), 'listening'),
        udp,
        lookup: () => dns.promises.lookup('localhost'),
        resolve: () => dns.promises.resolve4('example.com'),
        callback: () => new Promise((resolve, reject) => dns.lookup('localhost', (error) => error ? reject(error) : resolve())),
        ...(globalThis.WebSocket ? { socket } : {}),
        binding: async () => new (process.binding('tcp_wrap').TCP)(0),
      }
      const open = []
      for (const [name, way] of Object.entries(ways)) await (async () => way())().then(() => open.push(name), () => undefined)
      console.log(JSON.stringify(open))
      process.exit()`
    const openWith = async (flags: string[]): Promise<string[]> => {
      const args = [...flags, '--input-type=module', '-e', probe]
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} })
      return JSON.parse(stdout)
    }
    expect(await openWith(childFlags({ memoryBytes: 256 * MB }))).toEqual([])
    expect(connections).toBe(0)
    const ways = [
      'net',
      'createConnection',
      'socket',
      'http',
      'http2',
      'fetch',
      'listen',
      'udp',
      'lookup',
      'callback',
    ]
    expect(await openWith([])).toEqual(expect.arrayContaining(ways))
    server.close()
    datagrams.close()
  },
)

verifies(
  'isolation.child',
  'a child has no environment, reads no file of ours, starts no program',
  async () => {
    const others = poolChildren()
    const pool = poolOf()
    const stopping = new AbortController()
    const busy = runEndless(pool, (at) => `i${at % 10}`, stopping.signal).catch(() => undefined)
    const own = async () => poolChildren().filter((pid) => !others.includes(pid))
    const [pid] = await eventually(own, (pids) => pids.length > 0)
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((line) => line.split('=')[0])
    expect(names.filter((name) => name !== '').toSorted()).toEqual([
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
      'TINYPOOL_WORKER_ID',
    ])
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    expect(command.some((flag) => /^--(experimental-)?permission$/.test(flag))).toBe(true)
    expect(
      command.filter((flag) => /^--allow-/.test(flag) && !/^--allow-(worker|fs-read=)/.test(flag)),
    ).toEqual([])
    for (const flag of command.filter((one) => one.startsWith('--allow-fs-read=')))
      expect(flag).toMatch(/(\/dist\/\*|\/package\.json|\/node_modules\/\*)$/)
    stopping.abort()
    await busy
  },
)

const children = (): string[] => {
  const listed = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ')
  return listed.filter((pid) => pid !== '')
}

function poolChildren(): string[] {
  return children().filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tinypool'),
  )
}
