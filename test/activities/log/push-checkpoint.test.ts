import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { parseVerifierKey, verifierKey } from '#domain/log/checkpoint.ts'
import { createOutgoing } from '../../../activities/http/outgoing.ts'
import { type Pushed, pushCheckpoint, pushJobs } from '../../../activities/log/push-checkpoint.ts'
import { type LogDeps, noteKeyOf, sequence } from '../../../activities/log/sequencer.ts'
import { findCheckpoint, listCosignatures } from '../../../activities/store/log/checkpoints.ts'
import { serveWitness } from '../../../worker/witness/serve.ts'
import { openWitness } from '../../../worker/witness/witness.ts'
import { keepWitnessKey } from '../../../worker/witness/witness-key.ts'
import { openLog, storeReceipts } from '../../support/log.ts'
import { createWitnessSigner } from '../../support/memory-log.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
let log: LogDeps
let scratch: string
let served: Awaited<ReturnType<typeof serveWitness>>
let stored = 0
let key: Awaited<ReturnType<typeof keepWitnessKey>>
beforeAll(async () => {
  database = await startDatabase()
  log = await openLog(database.db)
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-push-'))
  key = await keepWitnessKey(join(scratch, 'witness-key.json'), 'witness.example/w1')
  const logKeys = [noteKeyOf(log.origin, log.keys.log.active.publicJwk)]
  const witness = openWitness({ directory: scratch, logKeys, key, now: Date.now })
  const report = (error: unknown) => expect.fail(String(error))
  served = await serveWitness(witness, { host: '127.0.0.1', port: 0, report })
})
afterAll(async () => {
  await served.stop()
  await database.stop()
  rmSync(scratch, { recursive: true, force: true })
})

/** Receipts get their place; answers the size. */
async function grow(count: number): Promise<number> {
  await storeReceipts(database.db, stored, stored + count)
  stored += count
  await sequence(log)
  return (await findCheckpoint(database.db))!.size
}
const deps = (url: string, timeoutMs = 5_000) => ({
  db: database.db,
  send: createOutgoing({ ownHosts: [], exempt: [new URL(url).origin], timeoutMs }),
})
const push = (url = served.url, witness = key.publicKey) =>
  pushCheckpoint(deps(url, 500), { key: witness, url })
const witnessesOf = async (size: number) =>
  (await listCosignatures(database.db, size)).map(({ witness }) => witness)

verifies('log.push', 'each new checkpoint gets the cosignature of a witness once', async () => {
  expect((await push()).result).toBe('known')
  for (const count of [1, 300, 5]) {
    const size = await grow(count)
    expect(await push()).toMatchObject({ result: 'cosigned' })
    expect(await push()).toMatchObject({ result: 'known' })
    expect(await witnessesOf(size)).toEqual(['witness.example/w1'])
  }
})

verifies('log.push', 'a witness that knows another size is asked from there', async () => {
  // As if another process had pushed, and this one did not store the cosignature.
  const size = await grow(3)
  const other = { ...key.publicKey, name: 'witness.example/unstored' }
  expect(await push(served.url, other)).toMatchObject({ result: 'refused' })
  expect(await witnessesOf(size)).toEqual([])
  expect(await push()).toMatchObject({ result: 'cosigned' })
})

verifies('log.push', 'only the cosignature of the configured key is stored', async () => {
  const stranger = createWitnessSigner('witness.example/w1')
  const size = await grow(1)
  const note = (await findCheckpoint(database.db))!.note
  const answers = [stranger.cosign(note, 1_800_000_000), 'no line\n', '', '— a b\n'.repeat(9_999)]
  const server = createServer((_, response) => response.end(answers.shift()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`
  for (const _ of [...answers]) expect(['refused', 'no_answer']).toContain((await push(url)).result)
  expect(await witnessesOf(size)).toEqual([])
  server.close()
  expect(parseVerifierKey(verifierKey(stranger.key))).toEqual(stranger.key)
})

verifies('log.push', 'a witness that does not answer holds up nothing', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const bound = silent.address()
  const url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`
  const before = await grow(1)
  const reports: [string, Pushed['result']][] = []
  const settings = [
    { key: { ...key.publicKey, name: 'silent.example/w' }, url },
    { key: key.publicKey, url: served.url },
    { key: { ...key.publicKey, name: 'unreached.example/w' }, url: null },
  ]
  const send = createOutgoing({
    ownHosts: [],
    exempt: [new URL(url).origin, new URL(served.url).origin],
    timeoutMs: 500,
  })
  const jobs = pushJobs({ db: database.db, send }, settings, (witness, { result }) =>
    reports.push([witness, result]),
  )
  expect(Object.keys(jobs)).toHaveLength(2)
  const running = Promise.all(Object.values(jobs).map((job) => job()))
  expect(await grow(1)).toBe(before + 1)
  await running
  for (const job of Object.values(jobs)) await job()
  expect(reports).toEqual([
    ['witness.example/w1', 'cosigned'],
    ['silent.example/w', 'no_answer'],
  ])
  silent.closeAllConnections()
  silent.close()
})
