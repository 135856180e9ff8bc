import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { limits } from '#domain/core/limits.ts'
import { readInput, storeInput } from '../../../activities/runs/stored-input.ts'
import {
  deleteInput,
  findInput,
  type InputName,
  keptUntil,
  releaseInputs,
  removeUnused,
  useInput,
} from '../../../activities/store/inputs/agent-inputs.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const GIB = 2 ** 30
const bounds = (
  bytesMax: number = limits.inputBytesMax,
  owner = { bytesMax: GIB, uploadsMax: 4, sandbox: false, allBytesMax: 2 ** 40 },
) => ({
  bytesMax,
  owner,
})
const sha256 = (...parts: Uint8Array[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex')
const owner = () => `agt_${randomBytes(8).toString('hex')}`
async function* streamOf(...parts: Uint8Array[]) {
  yield* parts
}
const store = (who: string, bytes: Uint8Array, digest = sha256(bytes), sandbox = false) =>
  storeInput(
    database.db,
    { owner: who, sha256: digest },
    'text/csv',
    streamOf(bytes),
    bounds(limits.inputBytesMax, { bytesMax: GIB, uploadsMax: 4, sandbox, allBytesMax: 2 ** 40 }),
  )
async function readBack(who: string, digest: string): Promise<Buffer | undefined> {
  const input = await readInput(database.db, { owner: who, sha256: digest })
  return input === undefined ? undefined : Buffer.concat(await input.stream.toArray())
}
const blobs = async () => {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from agent_input_blobs`.execute(database.db)
  return rows[0]?.n
}

verifies(
  'input.stored',
  'an upload of any length and pieces is read back byte for byte',
  async () => {
    const who = owner()
    for (const length of [1, 524_287, 524_288, 524_289, 1_600_000]) {
      const bytes = randomBytes(length)
      const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)]
      const name = { owner: who, sha256: sha256(bytes) }
      expect(
        await storeInput(database.db, name, 'application/x-ndjson', streamOf(...pieces), bounds()),
      ).toMatchObject({
        ok: true,
        fresh: true,
        input: { byte_length: length, media_type: 'application/x-ndjson' },
      })
      expect((await readBack(who, name.sha256))?.equals(bytes), String(length)).toBe(true)
    }
  },
)

verifies(
  'input.digest',
  'an upload of another digest, of nothing, or cut off leaves nothing',
  async () => {
    const before = await blobs()
    const who = owner()
    expect(await store(who, Buffer.from('a,b\n1,2\n'), sha256(Buffer.from('other')))).toEqual({
      ok: false,
      reason: 'digest_mismatch',
    })
    expect(await store(who, Buffer.alloc(0))).toEqual({ ok: false, reason: 'empty' })
    async function* cutOff() {
      yield randomBytes(600_000)
      throw new Error('aborted')
    }
    await expect(
      storeInput(
        database.db,
        { owner: who, sha256: sha256(Buffer.alloc(0)) },
        'text/csv',
        cutOff(),
        bounds(),
      ),
    ).rejects.toThrow('aborted')
    expect(await blobs()).toBe(before)
    const { rows } = await sql`select 1 from agent_inputs where owner = ${who}`.execute(database.db)
    expect(rows).toEqual([])
  },
)

verifies(
  'input.owner',
  'an input belongs to its owner and is stored once; repeats are not read',
  async () => {
    const bytes = randomBytes(100_000)
    const digest = sha256(bytes)
    const [one, two] = [owner(), owner()]
    const uploads = await Promise.all([1, 2, 3, 4].map(() => store(one, bytes)))
    expect(uploads.filter((upload) => upload.ok && upload.fresh)).toHaveLength(1)
    expect(uploads.every((upload) => upload.ok)).toBe(true)
    expect(await readBack(two, digest)).toBeUndefined()
    const { rows } = await sql<{
      n: number
    }>`select count(*)::int as n from agent_input_blobs b where not exists (select 1 from agent_inputs i where i.blob_id = b.blob_id)`.execute(
      database.db,
    )
    expect(rows[0]?.n).toBe(0)
    async function* unread() {
      yield await Promise.reject(new Error('another process read it'))
    }
    expect(
      await storeInput(database.db, { owner: one, sha256: digest }, 'text/csv', unread(), bounds()),
    ).toMatchObject({
      ok: true,
      fresh: false,
    })
  },
)

verifies('input.corrected', 'a type of a later upload counts, and is screened', async () => {
  const who = owner()
  const bytes = Buffer.from('at,note\n2026-01-01,fine\n')
  const name = { owner: who, sha256: sha256(bytes) }
  const as = (type: 'text/plain' | 'text/csv' | 'application/pdf', what = bytes) =>
    storeInput(database.db, { owner: who, sha256: sha256(what) }, type, streamOf(what), bounds())
  expect(await as('text/plain')).toMatchObject({ ok: true, fresh: true })
  const before = await blobs()
  expect(await as('text/csv')).toMatchObject({
    ok: true,
    fresh: true,
    input: { media_type: 'text/csv', byte_length: bytes.length },
  })
  expect(await blobs()).toBe(before)
  expect(await as('text/csv')).toMatchObject({ ok: true, fresh: false })
  expect((await readBack(who, name.sha256))?.equals(bytes)).toBe(true)
  // While a task uses it, the type stays; what holds a secret as text never becomes one.
  await useInput(database.db, name, 'task-c')
  expect(await as('text/plain')).toEqual({ ok: false, reason: 'in_use' })
  expect((await findInput(database.db, name))?.media_type).toBe('text/csv')
  await releaseInputs(database.db, 'task-c')
  expect(await as('text/plain')).toMatchObject({ input: { media_type: 'text/plain' } })
  const key = Buffer.from(
    `-----BEGIN ${'PRIVATE'} KEY-----\nMIIEvQ\n-----END ${'PRIVATE'} KEY-----\n`,
  )
  expect(await as('application/pdf', key)).toMatchObject({ ok: true })
  expect(await as('text/plain', key)).toMatchObject({ ok: false, reason: 'secret' })
  const kept = await findInput(database.db, { owner: who, sha256: sha256(key) })
  expect(kept?.media_type).toBe('application/pdf')
  const [one, other] = await Promise.all([as('text/csv'), as('application/pdf')])
  expect([one.ok, other.ok]).toEqual([true, true])
})

verifies('input.deleted', 'a deleted upload is gone with its bytes, and frees room', async () => {
  const who = owner()
  const bytes = randomBytes(700_000)
  const name = { owner: who, sha256: sha256(bytes) }
  const before = await blobs()
  const small = { bytesMax: 1_000_000, uploadsMax: 4, sandbox: false, allBytesMax: 2 ** 40 }
  const put = (what: Uint8Array) =>
    storeInput(
      database.db,
      { owner: who, sha256: sha256(what) },
      'text/csv',
      streamOf(what),
      bounds(limits.inputBytesMax, small),
    )
  expect(await put(bytes)).toMatchObject({ ok: true })
  const other = randomBytes(700_000)
  expect(await put(other)).toEqual({ ok: false, reason: 'no_room' })
  await useInput(database.db, name, 'task-d')
  expect(await deleteInput(database.db, name)).toBe('in_use')
  await releaseInputs(database.db, 'task-d')
  expect(await deleteInput(database.db, { owner: owner(), sha256: name.sha256 })).toBe('gone')
  expect(await deleteInput(database.db, name)).toBe('deleted')
  expect(await deleteInput(database.db, name)).toBe('gone')
  expect(await blobs()).toBe(before)
  expect(await useInput(database.db, name, 'task-e')).toBe(false)
  expect(await put(other)).toMatchObject({ ok: true })
})

verifies('input.deleted', 'an upload is deleted or used, whichever comes first', async () => {
  const who = owner()
  for (let round = 0; round < 20; round++) {
    const bytes = randomBytes(100)
    const name = { owner: who, sha256: sha256(bytes) }
    await store(who, bytes)
    const [used, deleted] = await Promise.all([
      transaction(database.db, (tx) => useInput(tx, name, `task-${round}`)),
      deleteInput(database.db, name),
    ])
    expect([used, deleted]).toEqual(used ? [true, 'in_use'] : [false, 'deleted'])
    await releaseInputs(database.db, `task-${round}`)
  }
})

verifies(
  'input.bounds',
  'a byte over the limit of 256 MB ends the upload and leaves nothing',
  async () => {
    const before = await blobs()
    const bytes = randomBytes(1_500_000)
    const name = { owner: owner(), sha256: sha256(bytes) }
    let sent = 0
    async function* endless() {
      for (;;) {
        sent += bytes.length
        yield bytes
      }
    }
    expect(await storeInput(database.db, name, 'text/csv', endless(), bounds(1_499_999))).toEqual({
      ok: false,
      reason: 'too_large',
    })
    expect(sent).toBeLessThanOrEqual(2 * bytes.length)
    expect(await blobs()).toBe(before)
    expect(
      await storeInput(database.db, name, 'text/csv', streamOf(bytes), bounds(1_500_000)),
    ).toMatchObject({
      ok: true,
    })
    expect(limits.inputBytesMax).toBe(256 * 2 ** 20)
  },
)

verifies('input.quota', 'the storage limit of an owner holds for parallel uploads', async () => {
  const before = await blobs()
  const who = owner()
  const room = bounds(10_000, {
    bytesMax: 2_500,
    uploadsMax: 4,
    sandbox: false,
    allBytesMax: 2 ** 40,
  })
  const put = (bytes: Uint8Array) =>
    storeInput(
      database.db,
      { owner: who, sha256: sha256(bytes) },
      'text/csv',
      streamOf(bytes),
      room,
    )
  const files = [1, 2, 3, 4].map(() => randomBytes(1_000))
  const uploads = await Promise.all(files.map(put))
  expect(uploads.filter(({ ok }) => ok)).toHaveLength(2)
  expect(uploads.filter(({ ok }) => !ok)).toEqual(
    [1, 2].map(() => ({ ok: false, reason: 'no_room' })),
  )
  expect(await put(randomBytes(501))).toEqual({ ok: false, reason: 'no_room' })
  expect(await put(randomBytes(500))).toMatchObject({ ok: true })
  expect(await put(randomBytes(1))).toEqual({ ok: false, reason: 'no_room' })
  expect(await blobs()).toBe(Number(before) + 3)
})

verifies('input.quota', 'an owner uploads four at once and no more, and then again', async () => {
  const who = owner()
  const opened: (() => void)[] = []
  async function* held(bytes: Uint8Array) {
    await new Promise<void>((resolve) => opened.push(resolve))
    yield bytes
  }
  const put = (bytes: Uint8Array) =>
    storeInput(
      database.db,
      { owner: who, sha256: sha256(bytes) },
      'text/csv',
      held(bytes),
      bounds(),
    )
  const under = [1, 2, 3, 4].map(() => put(randomBytes(10)))
  await expect.poll(() => opened.length).toBe(4)
  expect(await put(randomBytes(10))).toEqual({ ok: false, reason: 'too_many_at_once' })
  expect(await store(owner(), randomBytes(10))).toMatchObject({ ok: true })
  for (const advanceTask of opened) advanceTask()
  expect((await Promise.all(under)).every(({ ok }) => ok)).toBe(true)
  expect(await store(who, randomBytes(10))).toMatchObject({ ok: true })
})

verifies('input.memory', '64 MB go in and come out at flat memory', async () => {
  const piece = randomBytes(65_536)
  const pieces = 1_024
  const hash = createHash('sha256')
  for (let n = 0; n < pieces; n++) hash.update(piece)
  const name = { owner: owner(), sha256: hash.digest('hex') }
  const used = () => {
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 1024 / 1024
  }
  // What is held, and not what waits to be collected.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const begun = used()
  let most = 0
  let looks = 0
  const look = () => {
    if (looks++ % 64 !== 0) return
    // The second frees what the first has found of buffers.
    collect()
    collect()
    most = Math.max(most, used() - begun)
  }
  async function* stream() {
    for (let n = 0; n < pieces; n++) {
      look()
      // As a socket does, a piece of its own each time.
      yield Buffer.from(piece)
    }
  }
  expect(await storeInput(database.db, name, 'text/csv', stream(), bounds())).toMatchObject({
    ok: true,
    input: { byte_length: 67_108_864 },
  })
  const back = createHash('sha256')
  for await (const chunk of (await readInput(database.db, name))?.stream ?? []) {
    look()
    back.update(chunk)
  }
  expect(back.digest('hex')).toBe(name.sha256)
  expect(looks).toBeGreaterThan(1_100)
  expect(most).toBeLessThan(8)
})

verifies('input.kept', 'an input stays while a task uses it and a set time after', async () => {
  const who = owner()
  const bytes = randomBytes(1_000)
  const name = { owner: who, sha256: sha256(bytes) }
  const short = { keepMs: 30, sandboxKeepMs: 30, abandonedMs: 30, most: 100 }
  await store(who, bytes)
  expect(await useInput(database.db, name, 'task-1')).toBe(true)
  expect(await useInput(database.db, name, 'task-2')).toBe(true)
  expect(await useInput(database.db, { ...name, owner: owner() }, 'task-1')).toBe(false)
  await releaseInputs(database.db, 'task-1')
  await sleep(40)
  await removeUnused(database.db, short)
  expect(await findInput(database.db, name)).toBeDefined()
  await releaseInputs(database.db, 'task-2')
  await removeUnused(database.db, { ...short, keepMs: 60_000 })
  expect(await findInput(database.db, name)).toBeDefined()
  await sleep(40)
  expect(await removeUnused(database.db, short)).toBeGreaterThan(0)
  expect(await findInput(database.db, name)).toBeUndefined()
  expect(await useInput(database.db, name, 'task-3')).toBe(false)
  expect(await removeUnused(database.db, short)).toBe(0)
})

verifies(
  'admission.upload-sweep',
  'an unused upload of a sandbox goes earlier than one of another agent',
  async () => {
    const kept = { keepMs: 60_000, sandboxKeepMs: 30 }
    const [trusted, sandbox] = [owner(), owner()]
    const [theirs, its] = [randomBytes(1_000), randomBytes(1_000)]
    const [lasting, passing] = [
      { owner: trusted, sha256: sha256(theirs) },
      { owner: sandbox, sha256: sha256(its) },
    ]
    await store(trusted, theirs)
    await store(sandbox, its, passing.sha256, true)
    await useInput(database.db, passing, 'task-1')
    await sleep(40)
    await removeUnused(database.db, { ...kept, abandonedMs: 30, most: 100 })
    expect(await keptUntil(database.db, passing, kept)).toBeUndefined()
    await releaseInputs(database.db, 'task-1')
    const lifeOf = async (name: InputName) =>
      (await keptUntil(database.db, name, kept))!.getTime() -
      (await findInput(database.db, name))!.stored_at.getTime()
    expect(await lifeOf(lasting)).toBe(60_000)
    expect(await lifeOf(passing)).toBeLessThan(10_000)
    await sleep(40)
    await removeUnused(database.db, { ...kept, abandonedMs: 30, most: 100 })
    expect(await findInput(database.db, passing)).toBeUndefined()
    expect(await findInput(database.db, lasting)).toBeDefined()
  },
)

verifies('input.kept', 'a use that is being registered keeps the sweep away', async () => {
  const who = owner()
  const bytes = randomBytes(1_000)
  const name = { owner: who, sha256: sha256(bytes) }
  await store(who, bytes)
  await sleep(5)
  await transaction(database.db, async (tx) => {
    expect(await useInput(tx, name, 'task-1')).toBe(true)
    await removeUnused(database.db, { keepMs: 1, sandboxKeepMs: 1, abandonedMs: 1, most: 100 })
  })
  expect((await readBack(who, name.sha256))?.equals(bytes)).toBe(true)
})

verifies(
  'input.guarded-in-sql',
  'no SQL changes a stored input or deletes one in use',
  async () => {
    const who = owner()
    const bytes = randomBytes(1_000)
    const name = { owner: who, sha256: sha256(bytes) }
    await store(who, bytes)
    await useInput(database.db, name, 'task-1')
    const { blob_id } = (await findInput(database.db, name)) ?? { blob_id: '' }
    for (const change of [
      sql`update agent_inputs set sha256 = ${'0'.repeat(64)} where owner = ${who}`,
      sql`update agent_input_chunks set bytes = '\\x00' where blob_id = ${blob_id}`,
      sql`insert into agent_input_chunks values (${blob_id}, 1, '\\x00')`,
      sql`delete from agent_inputs where owner = ${who}`,
      sql`with b as (insert into agent_input_blobs default values returning blob_id) insert into agent_inputs select ${who}, ${'0'.repeat(64)}, blob_id, 5, 'text/csv' from b`,
    ])
      await expect(change.execute(database.db)).rejects.toMatchObject({ code: '23514' })
  },
)
