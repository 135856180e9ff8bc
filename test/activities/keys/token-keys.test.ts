import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { generateTokenKeys, rotateTokenKeys } from '../../../activities/keys/generate.ts'
import { loadTokenKeys } from '../../../activities/keys/token-keys.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-tokens-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

verifies('keys.token-key', 'token keys are those that stand in their file at each call', () => {
  const file = join(scratch, 'token-keys.json')
  const first = generateTokenKeys()
  writeFileSync(file, JSON.stringify(first))
  const current = loadTokenKeys(file)
  expect(current()).toEqual([{ key: expect.any(Buffer), since: 0 }])
  expect(current()[0]?.key).toHaveLength(32)
  const day = new Date('2026-11-21T10:00:00Z')
  writeFileSync(file, JSON.stringify(rotateTokenKeys(first, day)))
  expect(current().map(({ since }) => since)).toEqual([0, day.getTime() / 1000 + 3600])
})

verifies('keys.token-key', 'a file of token keys that is not sound is refused by its name', () => {
  const file = join(scratch, 'faulty.json')
  const key = 'A'.repeat(43)
  for (const faulty of [
    [],
    {},
    [{ key }],
    [{ key: `${key}A`, since: 0 }],
    [{ key, since: -1 }],
    [{ key, since: 0.5 }],
    [{ key, since: 0, more: 1 }],
  ]) {
    writeFileSync(file, JSON.stringify(faulty))
    expect(() => loadTokenKeys(file), JSON.stringify(faulty)).toThrow(file)
  }
})
