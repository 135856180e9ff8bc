import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { brotliCompressSync, constants, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { sheetType } from '#domain/rails/input/documents.ts'
import { builtProgram } from '../../../../activities/config/package-root.ts'
import { checksIn, extractedIn, workIn } from '../../../../activities/runs/caged-answers.ts'
import { frame, readFrames, sendFrame } from '../../../../activities/runs/isolation/cage-frames.ts'
import { closePools, openPools } from '../../../../activities/runs/isolation/pools.ts'
import { ChildDied } from '../../../../activities/runs/isolation/rail-pool.ts'
import { docxOf, paragraph, textCell, xlsxOf } from '../../../support/office-files.ts'
import { verifies } from '../../../verifies.ts'

const folder = mkdtempSync(join(tmpdir(), 'cage-'))
const path = join(folder, 'cage.sock')
const MB = 1024 * 1024
const documentType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
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
  const list = { kind: 'check', rail: 'tokenops', list: 'usage', corrections: {} } as const
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
function pdfOf(content: Buffer, times: number, more = ''): Buffer {
  let stream = content
  for (let at = 0; at < times; at += 1) stream = deflateSync(stream, { level: 9 })
  const filter = `[${' /FlateDecode'.repeat(times)}${more} ]`
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

/** A PDF whose content stream is packed by Brotli. */
const brotliPdf = (content: Buffer): Buffer =>
  pdfOf(
    brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
    0,
    ' /BrotliDecode',
  )

verifies('isolation.inflated', 'a content stream of Brotli is ended early', async () => {
  expect(await read(brotliPdf(line))).toMatchObject({
    extraction: { text: expect.stringContaining('Backups are made daily.') },
  })
  const bomb = brotliPdf(Buffer.concat([line, Buffer.alloc(200 * MB, 0x20)]))
  expect(bomb.length).toBeLessThan(MB)
  expect(JSON.stringify(await read(bomb))).toContain('inflates to more than 67108864 bytes')
})

/** What the cage says of an Office file. */
const readOffice = async (bytes: Uint8Array, as: 'document' | 'rows'): Promise<string> => {
  const job =
    as === 'document'
      ? ({ kind: 'extract', mediaType: documentType, as: document } as const)
      : ({
          kind: 'extract',
          mediaType: sheetType,
          as: { kind: 'rows', list: 'usage', sheet: null },
        } as const)
  const file = Readable.from([Buffer.from(bytes)], { objectMode: false })
  return JSON.stringify(await pools.strangers.run(job, { file }))
}
/** A part that deflates well, but by no more than a part may grow. */
const grown = (pattern: string, bytes: number): string => {
  const noise = randomBytes(bytes / 200).toString('base64')
  return `<!--${noise}-->${pattern.repeat(bytes / pattern.length)}`
}

verifies(
  'isolation.inflated',
  'a DOCX and an XLSX are ended at their bytes, elements and attributes',
  async () => {
    const cases: [Uint8Array, 'document' | 'rows', string][] = [
      [docxOf(paragraph('Kept.')), 'document', 'Kept.'],
      [docxOf(grown('<w:tab/>', 10 * MB)), 'document', 'characters of text'],
      [docxOf(grown('<a/>', 36 * MB)), 'document', 'more than 8000000 elements'],
      [docxOf(`<w:p ${attributes(2_000)}/>`), 'document', 'more than 1000 attributes'],
      [
        docxOf('', '', { 'word/more.xml': ' '.repeat(193 * MB) }),
        'document',
        'inflates to more than',
      ],
      [xlsxOf({ rows: [[textCell('a')], [textCell('1')]] }), 'rows', 'a'],
      [xlsxOf({ rows: [[grown('<c/>', 9 * MB)]] }), 'rows', 'more than 2000000 cells'],
      [xlsxOf({ rows: [[grown('<x/>', 36 * MB)]] }), 'rows', 'more than 8000000 elements'],
      [xlsxOf({ rows: [[`<c ${attributes(2_000)}/>`]] }), 'rows', 'more than 1000 attributes'],
    ]
    for (const [bytes, as, said] of cases) expect(await readOffice(bytes, as)).toContain(said)
  },
)
const attributes = (count: number) => Array.from({ length: count }, (_, n) => `a${n}=""`).join(' ')

verifies(
  'isolation.inflated',
  'the sizes of a zip64 file are held to the same bounds',
  async () => {
    const body = docxOf(paragraph('Kept in 64 bits.'))
    expect(await readOffice(zip64(body), 'document')).toContain('Kept in 64 bits.')
    expect(await readOffice(zip64(body, 193n * BigInt(MB)), 'document')).toContain(
      'inflates to more than',
    )
    expect(await readOffice(zip64(body, 2n ** 62n), 'document')).toContain('inflates to more than')
    // A size that is too small for what follows.
    expect(await readOffice(zip64(body, 1n), 'document')).toMatch(/damaged|not well-formed/)
  },
)

/** The zip with the sizes of its directory in the fields of zip64; `inflated` is what its last file says to inflate to. */
function zip64(zip: Uint8Array, inflated?: bigint): Buffer {
  const file = Buffer.from(zip)
  const end = file.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const [count, start] = [file.readUInt16LE(end + 10), file.readUInt32LE(end + 16)]
  const entries: Buffer[] = []
  let at = start
  for (let entry = 0; entry < count; entry += 1) {
    const head = Buffer.from(file.subarray(at, at + 46))
    const name = file.subarray(at + 46, at + 46 + head.readUInt16LE(28))
    const extra = Buffer.alloc(28)
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(24, 2)
    const original = BigInt(head.readUInt32LE(24))
    extra.writeBigUInt64LE(entry === count - 1 ? (inflated ?? original) : original, 4)
    extra.writeBigUInt64LE(BigInt(head.readUInt32LE(20)), 12)
    extra.writeBigUInt64LE(BigInt(head.readUInt32LE(42)), 20)
    at += 46 + name.length + head.readUInt16LE(30) + head.readUInt16LE(32)
    head.writeUInt32LE(0xffffffff, 20)
    head.writeUInt32LE(0xffffffff, 24)
    head.writeUInt16LE(extra.length, 30)
    head.writeUInt16LE(0, 32)
    head.writeUInt32LE(0xffffffff, 42)
    entries.push(head, name, extra)
  }
  const directory = Buffer.concat(entries)
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(directory.length), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + directory.length), 8)
  const tail = Buffer.from(file.subarray(end))
  tail.writeUInt32LE(0xffffffff, 12)
  tail.writeUInt32LE(0xffffffff, 16)
  return Buffer.concat([file.subarray(0, start), directory, record, locator, tail])
}

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
