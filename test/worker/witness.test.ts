import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { addCheckpointText } from '#domain/log/add-checkpoint.ts'
import { cosignedAt, openCheckpoint, parseVerifierKey } from '#domain/log/checkpoint.ts'
import { serveWitness } from '../../worker/witness/serve.ts'
import { openWitness } from '../../worker/witness/witness.ts'
import { keepWitnessKey } from '../../worker/witness/witness-key.ts'
import { runCli } from '../support/cli.ts'
import { consistencyOf, createLogKey, serveLog } from '../support/memory-log.ts'
import { verifies } from '../verifies.ts'

const logKey = createLogKey()
const entries = Array.from({ length: 300 }, (_, at) => Uint8Array.of(at % 256, at >> 8))
const proof = (older: number, newer: number, of = entries) =>
  consistencyOf(older, of.slice(0, newer))
const checkpoint = (size: number, of = entries) => logKey.checkpoint(of.slice(0, size))

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-witness-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** A witness with its own directory, or the one that another had before. */
async function witnessIn(directory = mkdtempSync(join(scratch, 'w'))) {
  const key = await keepWitnessKey(join(directory, 'witness-key.json'), 'witness.example/w1')
  const open = () => openWitness({ directory, logKeys: [logKey.key], key, now: Date.now })
  return { directory, key, open, witness: open() }
}

async function serving() {
  const made = await witnessIn()
  const report = (error: unknown) => expect.fail(String(error))
  const server = await serveWitness(made.witness, { host: '127.0.0.1', port: 0, report })
  const add = async (body: string | Uint8Array) => {
    const answer = await fetch(`${server.url}/add-checkpoint`, { method: 'POST', body })
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
    }
  }
  return { ...made, ...server, add }
}

verifies('log.witness.endpoint', 'each answer has the status of tlog-witness', async () => {
  const { add, url, witness, key, stop } = await serving()
  const send = (oldSize: number, newer: number, note = checkpoint(newer)) =>
    add(
      addCheckpointText({
        oldSize,
        proof: oldSize === 0 || oldSize > newer ? [] : proof(oldSize, newer),
        note,
      }),
    )
  const other = createLogKey('elsewhere.example/log')
  const monitor = `${url}${witness.monitorPath}`

  expect(await fetch(monitor)).toMatchObject({ status: 404 })
  const first = await send(0, 5)
  expect(first.status).toBe(200)
  const cosigned = openCheckpoint(checkpoint(5) + first.text, logKey.key)
  if (!cosigned.ok) return expect.fail(cosigned.fault)
  expect(cosignedAt(cosigned.note, key.publicKey)).toBeGreaterThan(1_700_000_000)

  for (const old of [0, 4])
    expect(await send(old, 9)).toEqual({ status: 409, type: 'text/x.tlog.size', text: '5\n' })
  expect(await send(5, 9, other.checkpoint(entries.slice(0, 9)))).toMatchObject({ status: 404 })
  const forged = createLogKey().checkpoint(entries.slice(0, 9))
  expect(await send(5, 9, forged)).toMatchObject({ status: 403 })
  expect(await send(5, 9, checkpoint(9).replace('\n9\n', '\n8\n'))).toMatchObject({ status: 403 })
  expect(await send(5, 4)).toMatchObject({ status: 400 })
  expect(await add('old 5\n')).toMatchObject({ status: 400 })
  expect(await add(Buffer.from([0xff, 0x0a, 0x0a]))).toMatchObject({ status: 400 })
  expect(await add('x'.repeat(200_000))).toMatchObject({ status: 413 })
  const unproven = addCheckpointText({ oldSize: 5, proof: proof(5, 8), note: checkpoint(9) })
  expect(await add(unproven)).toMatchObject({ status: 422 })
  expect(await send(5, 9)).toMatchObject({ status: 200 })
  expect(await send(9, 9)).toMatchObject({ status: 200 })

  const shown = await (await fetch(monitor)).text()
  const opened = openCheckpoint(shown, logKey.key)
  expect(opened.ok && opened.checkpoint.size).toBe(9)
  expect(opened.ok && cosignedAt(opened.note, key.publicKey)).toBeGreaterThan(1_700_000_000)
  expect(await fetch(`${url}/elsewhere`)).toMatchObject({ status: 404 })
  expect(await fetch(monitor, { method: 'PUT' })).toMatchObject({ status: 405 })
  await stop()
})

verifies(
  ['log.foreign-input', 'log.witness.endpoint'],
  'no request of a stranger is answered with 500, or moves the witness',
  async () => {
    const { add, witness, stop } = await serving()
    const good = addCheckpointText({ oldSize: 5, proof: proof(5, 9), note: checkpoint(9) })
    const first = addCheckpointText({ oldSize: 0, proof: [], note: checkpoint(5) })
    expect(await add(first)).toMatchObject({ status: 200 })
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary', maxLength: 400 }).map((text) => Buffer.from(text)),
      fc.integer({ min: 0, max: 140_000 }).map((size) => Buffer.alloc(size, 'old 5\n')),
    )
    const spliced = fc
      .tuple(fc.nat(good.length), fc.nat(40), fc.oneof(fc.constant(Buffer.of()), noise))
      .map(([at, cut, insert]) =>
        Buffer.concat([Buffer.from(good.slice(0, at)), insert, Buffer.from(good.slice(at + cut))]),
      )
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, spliced), async (body) => {
        if (body.equals(Buffer.from(good))) return
        expect([400, 403, 404, 409, 413, 422]).toContain((await add(body)).status)
      }),
      { numRuns: 150 },
    )
    expect(witness.latest()?.size).toBe(5)
    expect(await add(good)).toMatchObject({ status: 200 })
    await stop()
  },
)

verifies(
  'log.witness.endpoint',
  'of many logs at once, one checkpoint follows a size',
  async () => {
    const { add, witness, stop } = await serving()
    const sizes = Array.from({ length: 20 }, (_, at) => at + 1)
    const answers = await Promise.all(
      sizes.map((size) =>
        add(addCheckpointText({ oldSize: 0, proof: [], note: checkpoint(size) })),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    expect(witness.latest()?.size).toBe(answers.findIndex(({ status }) => status === 200) + 1)
    await stop()
  },
)

verifies('log.witness.state', 'a restart neither goes back nor cosigns another root', async () => {
  const { directory, open, witness } = await witnessIn()
  const lying = [Uint8Array.of(9, 9), ...entries.slice(1)]
  const ask = (of: typeof witness, oldSize: number, note: string, path: Uint8Array[] = []) =>
    of.addCheckpoint({ oldSize, proof: path, note }).status
  expect(ask(witness, 0, checkpoint(200))).toBe(200)
  const again = open()
  expect(again.latest()).toMatchObject({ size: 200 })
  expect(ask(again, 0, checkpoint(100))).toBe(409)
  expect(ask(again, 200, checkpoint(100))).toBe(400)
  expect(ask(again, 200, checkpoint(200, lying))).toBe(422)
  expect(ask(again, 200, checkpoint(300, lying), proof(200, 300, lying))).toBe(422)
  expect(readdirSync(join(directory, 'evidence'))).toHaveLength(1)

  // A second program that uses the same directory is noticed before anything is signed.
  expect(ask(again, 200, checkpoint(300), proof(200, 300))).toBe(200)
  expect(() => ask(witness, 200, checkpoint(250), proof(200, 250))).toThrow('another program')
  const file = join(directory, 'latest.checkpoint')
  writeFileSync(file, readFileSync(file, 'utf8').replace('\n300\n', '\n301\n'))
  expect(open).toThrow('is not signed')
})

verifies('log.witness.follows', 'the command follows a log and keeps its own key', async () => {
  const log = { entries: entries.slice(0, 270), key: logKey }
  const server = await serveLog(log)
  const directory = join(scratch, 'followed')
  const look = async (...more: string[]) => {
    const args = ['witness', server.url, '--directory', directory, '--once', '--json', ...more]
    const { code, out, text } = await runCli(process.env, ...args)
    return code === 0 || out !== '' ? { code, ...JSON.parse(out) } : { code, text }
  }
  expect(await look()).toMatchObject({ code: 1, text: expect.stringContaining('--log-key') })
  const first = await look('--log-key', logKey.text, '--name', 'witness.example/w2')
  expect(first).toMatchObject({ code: 0, result: 'cosigned', size: 270, log_keys: [logKey.text] })
  expect(parseVerifierKey(first.witness_key)).toMatchObject({ name: 'witness.example/w2' })
  expect(statSync(join(directory, 'witness-key.json')).mode & 0o777).toBe(0o600)
  expect(await look()).toMatchObject({ code: 0, result: 'unchanged' })

  log.entries = entries
  expect(await look()).toMatchObject({ code: 0, result: 'cosigned', size: 300 })
  log.entries = entries.slice(0, 280)
  expect(await look()).toMatchObject({ code: 2, result: 'behind', cosigned: 300 })
  log.entries = [...entries.slice(1), Uint8Array.of(1), Uint8Array.of(2)]
  expect(await look()).toMatchObject({ code: 1, result: 'refused', size: 301 })
  expect(await look('--log-key', createLogKey('elsewhere.example/log').text)).toMatchObject({
    code: 1,
    text: expect.stringContaining('another directory'),
  })
  // The log has a new key, which the operator of the witness gives once.
  log.entries = [...entries, Uint8Array.of(1)]
  log.key = createLogKey()
  expect(await look()).toMatchObject({ code: 2, reason: expect.stringContaining('unknown_key') })
  expect(await look('--log-key', log.key.text)).toMatchObject({ code: 0, size: 301 })
  expect(await look()).toMatchObject({ code: 0, result: 'unchanged' })
  await server.stop()
  expect(await look()).toMatchObject({ code: 2, result: 'unreachable' })
})
