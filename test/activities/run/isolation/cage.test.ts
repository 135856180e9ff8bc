import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { builtProgram } from '../../../../activities/config/package-root.ts'
import { checksIn, extractedIn, workIn } from '../../../../activities/run/caged-answers.ts'
import { frame, readFrames, sendFrame } from '../../../../activities/run/isolation/cage-frames.ts'
import { closePools, openPools } from '../../../../activities/run/isolation/pools.ts'
import { ChildDied } from '../../../../activities/run/isolation/rail-pool.ts'
import { verifies } from '../../../verifies.ts'

const folder = mkdtempSync(join(tmpdir(), 'cage-'))
const path = join(folder, 'cage.sock')
const settings = { RUN_PROCESSES: 1, RUN_CPU_MS: 20_000, RUN_MEMORY_MB: 512 }
const pools = openPools({ ...settings, CAGE_SOCKET: path })
const children: ReturnType<typeof spawn>[] = []

/** The cage as the stack starts it, without a network. */
function startCage() {
  const own = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, `${value}`]),
  )
  const env = { PATH: process.env['PATH'], LOG_LEVEL: 'silent', CAGE_SOCKET: path, ...own }
  const command = [process.execPath, builtProgram('worker/cage/main.js')]
  const child = spawn('unshare', ['--net', '--map-root-user', ...command], {
    env,
    stdio: 'inherit',
  })
  children.push(child)
  return child
}
const stop = (child: ReturnType<typeof spawn>) =>
  new Promise((resolve) => {
    child.once('exit', resolve)
    child.kill('SIGKILL')
  })

let cage: ReturnType<typeof spawn>
beforeAll(() => {
  cage = startCage()
})
afterAll(async () => {
  await Promise.all(
    children
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      .map(stop),
  )
  await closePools(pools)
  rmSync(folder, { recursive: true, force: true })
})

const work = (pool: keyof typeof pools) =>
  pools[pool].run({ kind: 'work', tier: 'pro', rail: 'packetops', value: packet, lists: {} })
const packet = railOf('packetops').sandboxInput
const usage = 'at,model,input_tokens,output_tokens\n2026-01-01T00:00:00Z,m,1,2\n'

verifies('isolation.cage', 'the cage works without a network as its parent would', async () => {
  for (const { key, sandboxInput, work } of rails) {
    const job = { kind: 'work', tier: 'pro', rail: key, value: sandboxInput, lists: {} } as const
    expect(digestOf(workIn(await pools.public.run(job))), key).toBe(digestOf(work(sandboxInput)))
  }
  const list = { kind: 'check', rail: 'tokenops', list: 'usage', columns: {} } as const
  const rows = await pools.strangers.run(
    { ...list, lists: { usage: 'csv' } },
    { usage: Readable.from([Buffer.from(usage)], { objectMode: false }) },
  )
  expect(rows).toMatchObject({ rows: 1, faults: { total: 0 } })
})

verifies(
  ['isolation.cage', 'stolen.cage'],
  'the process holds no credential, and reaches no server',
  async () => {
    await work('public')
    const environment = readFileSync(`/proc/${cage.pid}/environ`, 'utf8').split('\0')
    expect(
      environment
        .filter((line) => line !== '')
        .map((line) => line.split('=')[0])
        .sort(),
    ).toEqual(['CAGE_SOCKET', 'LOG_LEVEL', 'PATH', 'RUN_CPU_MS', 'RUN_MEMORY_MB', 'RUN_PROCESSES'])
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    // In the namespace of the cage, with all that Node can do.
    const code = `require('net').connect(${port},'127.0.0.1').on('connect',()=>{console.log('in');process.exit()}).on('error',(e)=>console.log(e.code))`
    const said = await new Promise<string>((resolve, reject) =>
      execFile(
        'nsenter',
        ['--target', `${cage.pid}`, '--user', '--net', process.execPath, '-e', code],
        (error, stdout) => (error === null ? resolve(stdout.trim()) : reject(error)),
      ),
    )
    expect(said).toMatch(/^E(NETUNREACH|CONNREFUSED|HOSTUNREACH|ADDRNOTAVAIL)/)
    server.close()
  },
)

/** A PDF of one page, whose content stream is deflated as often as that. */
function pdfOf(content: Buffer, times: number): Buffer {
  let stream = content
  for (let at = 0; at < times; at += 1) stream = deflateSync(stream, { level: 9 })
  const filter = `[${' /FlateDecode'.repeat(times)} ]`
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  const add = (text: string, body?: Buffer) => {
    offsets.push(parts.reduce((sum, { length }) => sum + length, 0))
    const end =
      body === undefined ? [] : [Buffer.from('stream\n'), body, Buffer.from('\nendstream')]
    parts.push(Buffer.from(`${offsets.length} 0 obj\n${text}\n`), ...end, Buffer.from('\nendobj\n'))
  }
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add('<< /Type /Pages /Kids [3 0 R] /Count 1 >>')
  add(
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
  )
  add(`<< /Length ${stream.length} /Filter ${filter} >>`, stream)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const start = parts.reduce((sum, { length }) => sum + length, 0)
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 6\n0000000000 65535 f \n${lines}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF`,
    ),
  )
  return Buffer.concat(parts)
}
const document = { kind: 'document', charsMax: 1_000_000, images: false } as const
const read = (bytes: Buffer, pool: keyof typeof pools = 'strangers') =>
  pools[pool].run(
    { kind: 'extract', mediaType: 'application/pdf', as: document },
    { file: Readable.from([bytes], { objectMode: false }) },
  )
const line = Buffer.from('BT /F1 12 Tf 72 720 Td (Backups are made daily.) Tj ET')

verifies(
  'isolation.inflated',
  'a content stream that is deflated twice is ended early',
  async () => {
    expect(await read(pdfOf(line, 2))).toMatchObject({
      extraction: { text: expect.stringContaining('Backups are made daily.') },
    })
    const bomb = pdfOf(Buffer.concat([line, Buffer.alloc(400 * 1024 * 1024, 0x20)]), 2)
    expect(bomb.length).toBeLessThan(16_384)
    const spent: number[] = []
    const queue = pools.strangers.queue('hostile', (cpuMs) => spent.push(cpuMs))
    const refused = await queue.run(
      { kind: 'extract', mediaType: 'application/pdf', as: document },
      { file: Readable.from([bomb], { objectMode: false }) },
    )
    expect(JSON.stringify(refused)).toContain('inflates to more than 67108864 bytes')
    expect(spent).toHaveLength(1)
  },
)

verifies(
  'isolation.pools',
  'paid work begins although all places of strangers are held',
  async () => {
    const never = new Readable({ read: () => undefined })
    const stop = new AbortController()
    const held = Array.from({ length: 10 }, (_, at) =>
      pools.strangers
        .queue(`stranger ${at}`)
        .run(
          { kind: 'extract', mediaType: 'application/pdf', as: document },
          { file: at === 0 ? never : new Readable({ read: () => undefined }) },
          stop.signal,
        )
        .catch(() => 'stopped'),
    )
    const ends = await Promise.race([work('trusted').then(() => 'paid'), Promise.any(held)])
    expect(ends).toBe('paid')
    stop.abort(new Error('enough'))
    expect(await Promise.all(held)).toEqual(Array(10).fill('stopped'))
  },
)

verifies('isolation.cage', 'a cage that starts again is waited for', async () => {
  await stop(cage)
  const waiting = work('trusted')
  cage = startCage()
  expect(await waiting).toBeTruthy()
})

verifies(
  ['isolation.cage', 'stolen.cage'],
  'what a cage answers is read as a stranger’s',
  async () => {
    const forged = join(folder, 'forged.sock')
    let answer: (socket: Parameters<typeof sendFrame>[0]) => void = () => undefined
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined)
      readFrames(socket, (kind) => {
        if (kind === frame.job) answer(socket)
      })
    })
    await new Promise<void>((resolve) => server.listen(forged, resolve))
    const { trusted } = openPools({ ...settings, CAGE_SOCKET: forged })
    const asked = { kind: 'extract', mediaType: 'application/pdf', as: document } as const
    const job = () => trusted.run(asked)
    answer = (socket) => void socket.write('XXXXX')
    await expect(job()).rejects.toThrow()
    answer = (socket) =>
      void sendFrame(socket, frame.refusal, JSON.stringify({ code: 'paused', detail: 'no' }))
    await expect(job()).rejects.toBeInstanceOf(ChildDied)
    answer = (socket) =>
      void sendFrame(
        socket,
        frame.refusal,
        JSON.stringify({ code: 'input_too_complex', detail: 'x' }),
      )
    await expect(job()).rejects.toBeInstanceOf(DomainError)
    answer = (socket) => void sendFrame(socket, frame.wants, 'another')
    await expect(job()).rejects.toThrow('unknown list')
    server.close()
    expect(() => workIn({ result: {}, findings: 'none', gaps: [] })).toThrow(ChildDied)
    expect(() => checksIn([{ check: 'mine', ok: true, detail: '' }])).toThrow(ChildDied)
    const { extraction } = (await read(pdfOf(line, 1))) as { extraction: Record<string, unknown> }
    const of = {
      sha256: String(extraction['upload_sha256']),
      mediaType: 'application/pdf',
      as: document,
    }
    expect(extractedIn({ extraction }, of)).toEqual({ extraction })
    for (const change of [
      { text: 'another' },
      { upload_sha256: 'a'.repeat(64) },
      { starts: [1e9] },
    ])
      expect(() => extractedIn({ extraction: { ...extraction, ...change } }, of)).toThrow(ChildDied)
  },
)

verifies('isolation.cage', 'only the user of the cage opens its socket', async () => {
  await work('public')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
