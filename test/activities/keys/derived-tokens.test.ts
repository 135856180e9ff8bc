import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  deriveTokens,
  secretSha256,
  type TokenKey,
  taskIdOf,
} from '../../../activities/keys/derived-tokens.ts'
import { generateTokenKeys, rotateTokenKeys } from '../../../activities/keys/generate.ts'
import { findKnownSecret } from '../../../activities/store/calls/known-secrets.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

const nowSeconds = () => Math.floor(Date.now() / 1000)
const keySince = (since: number): TokenKey => ({ key: randomBytes(32), since })
const [old, next, coming] = [keySince(0), keySince(10), keySince(nowSeconds() + 3600)]
const known = new Set<string>()
const tokensOf = (keys: readonly TokenKey[]) =>
  deriveTokens(
    () => keys,
    async (_, sha256s) => sha256s.find((sha256) => known.has(sha256)),
  )

verifies(
  'keys.token-key',
  'old tokens survive a rotation, and new ones derive from the next key',
  async () => {
    const before = tokensOf([old])
    const after = tokensOf([old, next, coming])
    const issued = [
      await before.statusToken('st', 'call_1'),
      await before.quoteToken('call_2'),
      await before.credentialSecret('c1'),
    ]
    const repeated = async () => [
      await after.statusToken('st', 'call_1'),
      await after.quoteToken('call_2'),
      await after.credentialSecret('c1'),
    ]
    const fresh = await repeated()
    expect(fresh.filter((one) => issued.includes(one))).toEqual([])
    expect(fresh[0]).toBe(await tokensOf([next]).statusToken('st', 'call_1'))
    for (const secret of issued) known.add(secretSha256(secret))
    expect(await repeated()).toEqual(issued)
    // A process that has the file earlier may have used the coming key: what it issued is known as well.
    const early = await tokensOf([coming]).statusToken('tk', 'call_3')
    known.add(secretSha256(early))
    expect(await after.statusToken('tk', 'call_3')).toBe(early)
    expect(after.nonceExpiry(before.nonce(100))).toBe(before.nonceExpiry(before.nonce(100)))
    expect(before.nonceExpiry(after.nonce(100))).toBeUndefined()
  },
)

verifies('keys.token-key', 'a rotation adds a token key that is used an hour later', () => {
  const day = new Date('2026-11-21T10:00:00Z')
  const rotated = rotateTokenKeys(generateTokenKeys(), day)
  expect(rotated.map(({ since }) => since)).toEqual([0, day.getTime() / 1000 + 3600])
})

verifies('keys.token-key', 'the store is asked by the digests that it keeps', async () => {
  const { agent_id } = await registeredAgent(database.db)
  const { status_token_sha256: sha256 } = await database.db
    .selectFrom('agents')
    .select('status_token_sha256')
    .where('agent_id', '=', agent_id)
    .executeTakeFirstOrThrow()
  const other = secretSha256('other')
  expect(await findKnownSecret(database.db, 'st', [other, sha256])).toBe(sha256)
  for (const kind of ['st', 'wt', 'tk', 'quote', 'credential'])
    expect(await findKnownSecret(database.db, kind, [other])).toBeUndefined()
  expect(taskIdOf('x')).toBe(`task-${secretSha256('x')}`)
})
