import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadTokenKeys } from '../../../activities/keys/token-keys.ts'
import {
  createSigningKeys,
  createTokenKeys,
  keepKeys,
  renewTokenKeys,
} from '../../../worker/files/signing-keys.ts'

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-keys-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const named = (ring: string, day: string) =>
  expect.stringMatching(new RegExp(`^${ring}-${day}-[0-9a-f]{8}$`))

test('a file of signing keys has one for each ring, and is kept', () => {
  const file = join(scratch, 'keys', 'signing-keys.json')
  const day = new Date('2026-11-21T12:00:00Z')
  expect(createSigningKeys(file, day)).toEqual(
    ['receipt', 'authority', 'checkout', 'callback', 'agent-statement', 'log'].map((ring) =>
      named(ring, '2026-11-21'),
    ),
  )
  expect(() => createSigningKeys(file, day)).toThrow('is there already')
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
