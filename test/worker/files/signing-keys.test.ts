import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { loadTokenKeys } from '../../../activities/keys/token-keys.ts'
import {
  createSigningKeys,
  createTokenKeys,
  keepKeys,
  renewSigningKeys,
  renewTokenKeys,
} from '../../../worker/files/signing-keys.ts'

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-keys-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const named = (ring: string, day: string) =>
  expect.stringMatching(new RegExp(`^${ring}-${day}-[0-9a-f]{8}$`))

test('renewing adds a signing key to each ring and keeps the old ones', () => {
  const file = join(scratch, 'keys', 'signing-keys.json')
  const day = new Date('2026-11-21T12:00:00Z')
  expect(createSigningKeys(file, day)).toEqual(
    ['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log'].map((ring) =>
      named(ring, '2026-11-21'),
    ),
  )
  expect(() => createSigningKeys(file, day)).toThrow('is there already')
  const before = loadKeyRings(file)
  const [renewed, , checkout] = renewSigningKeys(file, day)
  const after = loadKeyRings(file)
  expect(after.receipt.publicKeys.map(({ kid }) => kid)).toEqual([
    before.receipt.active.kid,
    renewed,
  ])
  expect(after.receipt.publicKeys[0]).toEqual(before.receipt.publicKeys[0])
  expect(after.checkout.active.kid).toBe(checkout)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const kept = readFileSync(file, 'utf8')
  expect(kept).toContain('private_jwk')
  const tokenKeys = join(scratch, 'keys', 'token-keys.json')
  keepKeys({ signingKeys: file, tokenKeys }, new Date('2026-12-02T12:00:00Z'))
  expect(loadTokenKeys(tokenKeys)()).toHaveLength(1)
  expect(readFileSync(file, 'utf8')).toBe(kept)
})

test('renewing token keys keeps the old one and adds one for in an hour', () => {
  const file = join(scratch, 'tokens', 'token-keys.json')
  const day = new Date('2026-11-21T12:00:00Z')
  createTokenKeys(file)
  expect(() => createTokenKeys(file)).toThrow('keys rotate-tokens adds keys to it')
  const [old] = loadTokenKeys(file)()
  renewTokenKeys(file, day)
  const [kept, coming, ...more] = loadTokenKeys(file)()
  expect(kept).toEqual(old)
  expect(coming?.since).toBe(day.getTime() / 1000 + 3600)
  expect(more).toEqual([])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('renewing adds a ring that the file lacks', () => {
  const file = join(scratch, 'older', 'signing-keys.json')
  const day = new Date('2026-11-21T12:00:00Z')
  createSigningKeys(file, day)
  const { rings, ...others } = JSON.parse(readFileSync(file, 'utf8'))
  delete rings.log
  writeFileSync(file, JSON.stringify({ rings, ...others }), { mode: 0o600 })
  expect(() => loadKeyRings(file)).toThrow('log')
  renewSigningKeys(file, day)
  const { log, receipt } = loadKeyRings(file)
  expect([log.keys.length, receipt.keys.length]).toEqual([1, 2])
})
