import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { keepSigningKeys, renewSigningKeys } from '../../worker/keys.ts'

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-keys-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const named = (ring: string, day: string) => expect.stringMatching(new RegExp(`^${ring}-${day}-[0-9a-f]{8}$`))

test('renewing makes the file, then adds a key to each ring that signs from then on; the old ones stay published', () => {
  const file = join(scratch, 'keys', 'signing-keys.json')
  const day = new Date('2026-11-21T12:00:00Z')
  expect(renewSigningKeys(file, day)).toEqual(
    ['receipt', 'authority', 'checkout', 'callback', 'agent-statement'].map((ring) => named(ring, '2026-11-21')),
  )
  const before = loadKeyRings(file)
  const [renewed, , checkout] = renewSigningKeys(file, day)
  const after = loadKeyRings(file)
  expect(after.receipt.publicKeys.map(({ kid }) => kid)).toEqual([before.receipt.active.kid, renewed])
  expect(after.receipt.publicKeys[0]).toEqual(before.receipt.publicKeys[0])
  expect(after.checkout.active.kid).toBe(checkout)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain('private_jwk')
})

test('a file of before there were callbacks and agents gets their rings, keeps its keys, and is left alone from then on', () => {
  const file = join(scratch, 'older', 'signing-keys.json')
  keepSigningKeys(file, new Date('2026-11-21T12:00:00Z'))
  const { rings } = JSON.parse(readFileSync(file, 'utf8'))
  const { callback: _callback, 'agent-statement': _statement, ...older } = rings
  writeFileSync(file, JSON.stringify({ rings: older }))
  expect(() => loadKeyRings(file)).toThrow('ring callback needs exactly one active key')
  keepSigningKeys(file, new Date('2026-12-01T12:00:00Z'))
  const kept = readFileSync(file, 'utf8')
  expect(JSON.parse(kept).rings).toMatchObject({
    ...older,
    callback: [{ kid: named('callback', '2026-12-01'), active: true }],
    'agent-statement': [{ kid: named('agent-statement', '2026-12-01'), active: true }],
  })
  keepSigningKeys(file, new Date('2026-12-02T12:00:00Z'))
  expect(readFileSync(file, 'utf8')).toBe(kept)
})
