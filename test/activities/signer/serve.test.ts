import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { connectSigner } from '../../../activities/signer/client.ts'
import { rpcErrors, SignerRefusal } from '../../../activities/signer/protocol.ts'
import { type Methods, serveSigner } from '../../../activities/signer/serve.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-serve-'))
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0
/** The path of a socket that no other test uses: a process has one connection to each. */
const newPath = () => join(scratch, `${++count}.sock`)
const echoParams = z.strictObject({ text: z.string() })
const echoAnswer = z.strictObject({ text: z.string() })
const methods: Methods = {
  echo: async (params) => echoParams.parse(params),
  later: async (params) => {
    await sleep(100)
    return echoParams.parse(params)
  },
  refuses: async () => {
    throw new SignerRefusal('refused', 'the policy does not allow it')
  },
  empty: async () => {
    throw new SignerRefusal('over_budget', 'the budget for echoes is used up')
  },
  fails: async () => {
    throw new Error('secret detail')
  },
  never: () => new Promise(() => undefined),
}

async function served(path: string, refusals: string[] = []) {
  const server = await serveSigner(path, methods, (method) => refusals.push(method))
  closers.push(server.close)
  return server
}

/** Sends text to the socket; the lines that come back until `expected` of them are there, or the connection ends. */
function send(path: string, text: string | Uint8Array, expected = 1): Promise<unknown[]> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let got = ''
    const lines = () => got.split('\n').slice(0, -1)
    const end = () => {
      socket.destroy()
      resolve(lines().map((line) => JSON.parse(line)))
    }
    socket.on('data', (chunk) => {
      got += chunk
      if (lines().length >= expected) end()
    })
    socket.on('close', end).on('error', () => undefined)
    socket.write(text)
  })
}
const request = (change: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params: { text: 'a' }, ...change })}\n`

verifies('signer.process', 'the socket is open to its user alone, and is served once', async () => {
  const path = newPath()
  const { close } = await served(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await expect(serveSigner(path, methods, () => undefined)).rejects.toThrow('another process')
  await close()
  // A socket that a killed process left behind is taken over.
  writeFileSync(path, '')
  await served(path)
  expect(await send(path, request())).toEqual([{ jsonrpc: '2.0', id: 1, result: { text: 'a' } }])
})

test('each error has its code, and a failure does not show its detail', async () => {
  const path = newPath()
  const refusals: string[] = []
  await served(path, refusals)
  const codeOf = async (text: string) => {
    const [answer] = (await send(path, text)) as { id: number | null; error: { code: number } }[]
    return [answer?.id, answer?.error.code]
  }
  expect(await codeOf(request({ method: 'other' }))).toEqual([1, rpcErrors.unknown_method])
  expect(await codeOf(request({ method: 'toString' }))).toEqual([1, rpcErrors.unknown_method])
  expect(await codeOf(request({ params: { text: 1 } }))).toEqual([1, rpcErrors.invalid])
  expect(await codeOf(request({ method: 'refuses' }))).toEqual([1, rpcErrors.refused])
  expect(await codeOf(request({ method: 'empty' }))).toEqual([1, rpcErrors.over_budget])
  expect(JSON.stringify(await send(path, request({ method: 'fails' })))).not.toContain('secret')
  expect(refusals).toEqual(['echo', 'refuses', 'empty', 'fails'])
  for (const faulty of [
    'no JSON\n',
    '\n',
    '[]\n',
    request({ jsonrpc: '1.0' }),
    request({ id: -1 }),
    request({ id: 'a' }),
    request({ params: [] }),
    request({ more: 1 }),
    request({ method: 'm'.repeat(65) }),
  ])
    expect(await codeOf(faulty), faulty).toEqual([null, rpcErrors.malformed])
})

verifies('signer.process', 'a line above 1 MiB ends its connection and no other', async () => {
  const path = newPath()
  await served(path)
  expect(await send(path, Buffer.alloc(2 * 1024 * 1024, 'x'))).toEqual([])
  expect(await send(path, `${request()}${request({ id: 2 })}`, 2)).toHaveLength(2)
})

verifies('signer.process', 'two callers at once each get their own answers', async () => {
  const path = newPath()
  await served(path)
  const ours = connectSigner(path)
  const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`)
  const [answers, other] = await Promise.all([
    Promise.all(
      texts.map((text, index) =>
        ours.call(index % 2 === 0 ? 'later' : 'echo', { text }, echoAnswer),
      ),
    ),
    send(path, texts.map((text, id) => request({ id, params: { text } })).join(''), 50),
  ])
  expect(answers).toEqual(texts.map((text) => ({ text })))
  expect(other).toHaveLength(50)
  expect(connectSigner(path)).toBe(ours)
})

verifies(
  'signer.process',
  'callers are refused while no signer answers, then continue',
  async () => {
    const path = newPath()
    const connection = connectSigner(path)
    const echo = () => connection.call('echo', { text: 'a' }, echoAnswer)
    const unavailable = { refusal: { code: 'unavailable' } }
    await expect(echo()).rejects.toMatchObject(unavailable)
    const first = await served(path)
    expect(await echo()).toEqual({ text: 'a' })
    const standing = connection.call('never', {}, echoAnswer)
    const refused = expect(standing).rejects.toMatchObject(unavailable)
    await sleep(50)
    await first.close()
    await refused
    await expect(echo()).rejects.toMatchObject(unavailable)
    await served(path)
    expect(await echo()).toEqual({ text: 'a' })
  },
)

verifies(
  ['signer.process', 'signer.budgets'],
  'no answer and a used-up budget are 503, a refusal is an error',
  async () => {
    const path = newPath()
    await served(path)
    const connection = connectSigner(path)
    const before = Date.now()
    await expect(connection.call('never', {}, echoAnswer)).rejects.toMatchObject({
      refusal: { code: 'unavailable' },
    })
    expect(Date.now() - before).toBeGreaterThanOrEqual(4_900)
    await expect(connection.call('empty', {}, echoAnswer)).rejects.toMatchObject({
      refusal: { code: 'unavailable' },
    })
    await expect(connection.call('refuses', {}, echoAnswer)).rejects.toThrow(
      'the signer refuses: the policy does not allow it',
    )
    await expect(connection.call('echo', { text: 'a' }, z.strictObject({}))).rejects.toThrow()
  },
)
