import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { decodeCompact } from '../../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../../activities/keys/generate.ts'
import { type KeyRings, keyRings } from '../../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../../activities/keys/publish-keys.ts'
import { type Making, Samples } from '../../../../api/services/receipts/sample.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { rotateSigningKeys } from '../../../support/rotated-keys.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

const [issuer, environment] = ['https://svc.example/api/trust-contract', 'local']
const file = generateSigningKeys(new Date())
const rotated = rotateSigningKeys(file, new Date())

/** A process with these keys, which counts its signatures; the first so many fail. */
function processOf(rings: Pick<KeyRings, 'receipt' | 'callback'>, failing = 0) {
  const count = { signed: 0, made: 0 }
  const counted = ({ keys, ...ring }: KeyRings['receipt']) => ({
    ...ring,
    keys: keys.map((key) => ({
      ...key,
      sign: async (text: string | Uint8Array) => {
        count.signed += 1
        if (count.signed > failing) return key.sign(text)
        await sleep(500)
        throw new Error('the signer is down')
      },
    })),
  })
  const keys = { receipt: counted(rings.receipt), callback: counted(rings.callback) }
  const samples = new Samples({ db: database.db, issuer, environment, keys })
  const make = ({ sign }: Making) => {
    count.made += 1
    return sign({ shown: { answer: 42 } })
  }
  const read = (name = 'one') => samples.once(name, make)
  return { samples, count, read }
}

verifies('samples.once', 'first reads at once make and sign one sample', async () => {
  await publishKeys(database.db, keyRings(file))
  const { count, read } = processOf(keyRings(file))
  const all = await Promise.all(Array.from({ length: 32 }, () => read()))
  expect(new Set(all).size).toBe(1)
  expect(await read()).toBe(all[0])
  expect(count).toEqual({ signed: 1, made: 1 })
  expect(all[0]).toMatchObject({ answer: 42, sample: true, receipt: { subject: 'sample:one' } })
  await read('other')
  expect(count).toEqual({ signed: 2, made: 2 })
  // Another process, or this one after a restart, signs the same bytes.
  expect((await processOf(keyRings(file)).read()).receipt.jws).toBe(all[0]?.receipt.jws)
})

verifies(
  'samples.once',
  'reads while the signer fails share a failure, then one succeeds',
  async () => {
    const { count, read } = processOf(keyRings(file), 1)
    const failed = await Promise.allSettled(Array.from({ length: 8 }, () => read()))
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true)
    expect(count.signed).toBe(1)
    await read()
    await read()
    expect(count.signed).toBe(2)
  },
)

verifies('samples.once', 'after a rotation the new key signs another one, once', async () => {
  await publishKeys(database.db, keyRings(file))
  const rings = { ...keyRings(file) }
  const next = keyRings(rotated)
  const before = processOf(rings)
  const old = await before.read()
  const { count, read, samples } = processOf(next)
  expect((await read()).receipt.jws).toBe(old.receipt.jws)
  await publishKeys(database.db, next)
  const [fresh, again] = [await read(), await read()]
  expect(again).toBe(fresh)
  expect(fresh.receipt.jws).not.toBe(old.receipt.jws)
  expect(decodeCompact(fresh.receipt.jws).header['kid']).toBe(next.receipt.active.kid)
  expect(count.signed).toBe(2)
  const kid = async ({ key }: Making) => key.kid
  expect(await samples.once('callbacks', kid, 'callback')).toBe(next.callback.active.kid)
})
