import { statSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { loadTokenKeys } from '../../activities/keys/token-keys.ts'
import { runCli } from '../support/cli.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { rotateKeysFile } from '../support/rotated-keys.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

type Body = { verified: boolean; keys: { kid: string }[] }

const file = () => apis.config.SIGNING_KEYS_FILE
const base = () => apis.hosts[0]?.base as string
const cli = (...args: string[]) => runCli({ ...apis.env, BASE_URL: base() }, ...args)
const done = async (...args: string[]) => {
  const { code, out, text } = await cli(...args, '--json')
  expect(text).not.toContain('Error')
  expect(code).toBe(0)
  return JSON.parse(out)
}
const by = () => ['--operator', apis.operator, '--reason', 'on a test day'] as const
const get = async (path: string): Promise<Body> =>
  (await fetch(base() + path)).json() as Promise<Body>
const verified = async ({ jws }: { jws: string }) =>
  (await get(`/api/verify-receipt?receipt=${jws}`)).verified
const stateOf = async (kid: string) =>
  (await get('/.well-known/jwks.json')).keys.find((key) => key.kid === kid)

verifies(
  'keys.token-key',
  'create-tokens makes a file once, and rotate-tokens adds a key',
  async () => {
    const tokens = `${apis.config.TOKEN_KEYS_FILE}.new`
    expect(await done('keys', 'create-tokens', tokens)).toEqual({ file: tokens })
    expect(statSync(tokens).mode & 0o777).toBe(0o600)
    expect(await cli('keys', 'create-tokens', tokens)).toMatchObject({
      code: 1,
      text: expect.stringContaining('is there already; agent-rails keys rotate-tokens'),
    })
    const [first] = loadTokenKeys(tokens)()
    const before = Math.floor(Date.now() / 1000)
    expect(await done('keys', 'rotate-tokens', tokens)).toEqual({ file: tokens })
    const [kept, coming] = loadTokenKeys(tokens)()
    expect(kept).toEqual(first)
    expect(coming?.since).toBeGreaterThanOrEqual(before + 3_600)
  },
)

verifies(
  ['keys.commands', 'keys.signing-standing', 'console.keys'],
  'each key command leaves a receipt that verifies',
  async () => {
    const first = loadKeyRings(file())
    const listed = await done('keys', 'list', '--operator', apis.operator)
    expect(listed.keys.map(({ kid }: { kid: string }) => kid)).toContain(first.receipt.active.kid)
    expect(listed.receipt).toMatchObject({
      payload: { act: 'signing_keys_list', operator_name: 'Ada' },
    })
    const last = await cli('keys', 'retire', first.callback.active.kid, ...by())
    expect(last).toMatchObject({ code: 1, text: expect.stringContaining('Rotate the keys first') })

    rotateKeysFile(file())
    const rotated = await done('keys', 'publish', ...by())
    const second = loadKeyRings(file())
    expect(rotated.published).toHaveLength(6)
    expect(rotated.receipt).toMatchObject({
      key_id: first.receipt.active.kid,
      payload: { reason: 'on a test day' },
    })
    expect((await done('keys', 'publish', ...by())).published).toEqual([])

    const retired = await done('keys', 'retire', first.receipt.active.kid, ...by())
    expect(retired).toMatchObject({
      key: { state: 'retired' },
      receipt: { key_id: second.receipt.active.kid },
    })
    expect(await stateOf(first.receipt.active.kid)).toMatchObject({
      state: 'retired',
      activated_at: expect.any(String),
      retired_at: retired.key.retired_at,
      revoked_at: null,
    })
    const revoked = await done('keys', 'revoke', second.receipt.active.kid, ...by())
    expect(revoked).toMatchObject({
      key: { state: 'revoked' },
      receipt: { key_id: second.receipt.active.kid },
    })
    for (const { receipt } of [rotated, retired, revoked])
      expect(receipt.payload).toMatchObject({ reason: 'on a test day', operator_name: 'Ada' })
    for (const { receipt } of [listed, rotated, retired, revoked])
      expect(await verified(receipt)).toBe(true)

    const stopped = await cli('keys', 'list', '--operator', apis.operator)
    expect(stopped).toMatchObject({ code: 1, text: expect.stringContaining('unavailable') })
    // The key before it was retired, so that nothing can sign the receipt of this order.
    const ordered = await done('keys', 'rotate', '--ring', 'receipt', ...by())
    expect(ordered).toMatchObject({ rotations: [{ state: 'requested' }], receipt: null })
    rotateKeysFile(file())
    const renewed = await done('keys', 'publish', ...by())
    expect(renewed.receipt.key_id).toBe(loadKeyRings(file()).receipt.active.kid)
    expect(await verified(renewed.receipt)).toBe(true)
    const twice = await cli('keys', 'revoke', second.receipt.active.kid, ...by())
    expect(twice).toMatchObject({ code: 1, text: expect.stringContaining('the key is revoked') })
    expect(await cli('keys', 'retire', 'receipt-unknown', ...by())).toMatchObject({ code: 1 })
  },
)

verifies(
  'keys.operators',
  'an operator revoked by the command line is refused at the next call',
  async () => {
    const { out } = await cli('operator', 'create', 'Bo')
    const bo = out.trim()
    const { operators, receipt } = await done('operator', 'list', '--operator', bo)
    const [, id] = bo.split('_')
    expect(operators).toContainEqual({
      operator_id: id,
      name: 'Bo',
      created_at: expect.any(String),
      revoked_at: null,
    })
    const revoked = await done('operator', 'revoke', id as string, ...by())
    expect(revoked).toMatchObject({ operator: { operator_id: id, revoked_at: expect.any(String) } })
    for (const one of [receipt, revoked.receipt]) expect(await verified(one)).toBe(true)
    expect(await cli('operator', 'list', '--operator', bo)).toMatchObject({
      code: 1,
      text: expect.stringContaining('credential_invalid'),
    })
    expect(await cli('operator', 'revoke', id as string, ...by())).toMatchObject({ code: 1 })
  },
)
