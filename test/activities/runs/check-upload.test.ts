import { createHash, randomBytes } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { limits } from '#domain/core/limits.ts'
import { correctionsOf } from '#domain/rails/input/corrections.ts'
import { type Extraction, sheetType, type UploadType } from '#domain/rails/input/documents.ts'
import { groupFaults } from '#domain/rails/input/input-faults.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { Columns } from '#domain/rails/rail.ts'
import { createUploadCheckSteps } from '../../../activities/runs/check-upload.ts'
import { workApart } from '../../../activities/runs/isolated.ts'
import { tooComplex } from '../../../activities/runs/isolation/job.ts'
import {
  ChildDied,
  openRailPool,
  poolSettings,
  type RailPool,
} from '../../../activities/runs/isolation/rail-pool.ts'
import { readInput, storeInput } from '../../../activities/runs/stored-input.ts'
import type { NewAgent } from '../../../activities/store/agents/agents.ts'
import { countInWindows, readWindows } from '../../../activities/store/calls/window-counts.ts'
import type { InputName } from '../../../activities/store/inputs/agent-inputs.ts'
import {
  beginUploadCheck,
  endUploadCheck,
  findUploadCheck,
  type NotBegun,
  type UploadCheckRow,
} from '../../../activities/store/inputs/upload-checks.ts'
import { storeDocument } from '../../../activities/store/tasks/tasks.ts'
import { UploadChecks } from '../../../api/services/inputs/upload-checks.ts'
import { registeredAgent } from '../../support/agent-rows.ts'
import { docxOf, paragraph } from '../../support/office-files.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { quietRuntime } from '../../support/quiet.ts'
import { poolsOver } from '../../support/rail-pool.ts'
import { secrets, tablesWith } from '../../support/secrets.ts'
import { verifies } from '../../verifies.ts'

quietRuntime()

let database: TestDatabase
let pool: RailPool
beforeAll(async () => {
  database = await startDatabase()
  pool = openRailPool(poolSettings({ RUN_PROCESSES: 1, RUN_CPU_MS: 60_000, RUN_MEMORY_MB: 512 }))
})
afterAll(async () => {
  await pool?.close()
  await database?.stop()
})

const bounds = { openMax: 2, perDay: { readings: 100, bytes: 1e9 } }
/** A begun check of an upload of usage rows, and what it reads. */
async function begun(text: string): Promise<UploadCheckRow> {
  return begunOn(await stored(Buffer.from(text), 'text/csv'))
}
async function stored(
  bytes: Buffer,
  mediaType: UploadType,
  owner = `agt_${randomBytes(8).toString('hex')}`,
) {
  const { db } = database
  const name = {
    owner,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
  async function* stream() {
    yield bytes
  }
  await storeInput(db, name, mediaType, stream(), {
    bytesMax: 1e9,
    owner: { bytesMax: 1e9, uploadsMax: 4, sandbox: false, allBytesMax: 1e12 },
  })
  return name
}
async function begunOn(name: InputName, columns: Columns = {}): Promise<UploadCheckRow> {
  const { db } = database
  const asked = {
    ...name,
    rail: 'tokenops',
    list: 'usage',
    corrections: correctionsOf({ columns }, 'usage'),
    sheet: null,
  } as const
  const [one, same] = await Promise.all([
    beginUploadCheck(db, asked, bounds),
    beginUploadCheck(db, asked, bounds),
  ])
  expect(one).toEqual(same)
  return one as UploadCheckRow
}
const check = (by: Pick<RailPool, 'run'>, { check_id }: UploadCheckRow) =>
  new MockActivityEnvironment().run(
    createUploadCheckSteps({ db: database.db, pools: poolsOver(queueOf(by)) }).checkUpload,
    check_id,
  )
/** A pool whose queues are all the same. */
const queueOf = ({ run }: Pick<RailPool, 'run'>) =>
  ({ queue: () => ({ run }) }) as unknown as RailPool
const csv = 'at,model,input_tokens,output_tokens\n2026-01-01T00:00:00Z,m,1,2\nnow,m,1,2'
const summary = { rail: 'tokenops', list: 'usage', rows: 2, faults: 1, refused: null }

verifies(
  'input.checked',
  'a child of the pool reads an upload; its first outcome is kept',
  async () => {
    const row = await begun(csv)
    expect(await check(pool, row)).toEqual(summary)
    const never = { run: () => Promise.reject(new Error('it is read already')) }
    expect(await check(never, row)).toEqual(summary)
    await endUploadCheck(database.db, row.check_id, { refused: 'late' })
    const ended = await findUploadCheck(database.db, row.check_id)
    expect(ended).toMatchObject({ attempts: 1, outcome: { rows: 2, faults: { total: 1 } } })
    const changed = database.db.updateTable('upload_checks').set({ outcome: null })
    await expect(changed.where('check_id', '=', row.check_id).execute()).rejects.toMatchObject({
      code: '23514',
    })
    expect(await check(never, { ...row, check_id: `uc_${'0'.repeat(64)}` })).toBeNull()
  },
)

// The deaths and limits of a child cannot be timed, so this pool fails as a real one does.
verifies('input.checked', 'a reading that dies is given up at the fourth attempt', async () => {
  const row = await begun(csv)
  const failing = (error: Error) => check({ run: () => Promise.reject(error) }, row)
  for (let attempt = 1; attempt <= 3; attempt += 1)
    await expect(failing(new ChildDied('killed'))).rejects.toThrow('killed')
  await expect(failing(new Error('not asked'))).resolves.toMatchObject({
    refused: 'it was read three times and never to its end',
  })
})

verifies('input.checked', 'an internal failure is no attempt, a limit is an outcome', async () => {
  const row = await begun(csv)
  const failing = (error: Error) => check({ run: () => Promise.reject(error) }, row)
  for (let attempt = 1; attempt <= 4; attempt += 1)
    await expect(failing(new Error('Postgres is away'))).rejects.toThrow('Postgres is away')
  await expect(failing(tooComplex('more than 10 minutes'))).resolves.toMatchObject({
    rows: null,
    refused: 'more than 10 minutes',
  })
})

verifies(
  'admission.compute',
  'readings of strangers count for their network, which waits in the end',
  async () => {
    const { db } = database
    const network = '198.51.100.0/24'
    const key = `compute:${network}`
    const uploadOf = async (more: Partial<NewAgent>, bytes = Buffer.from(csv)) =>
      stored(bytes, 'text/csv', (await registeredAgent(db, more)).agent_id)
    const rows = Array.from({ length: 200_000 }, (_, n) => `2026-01-01T00:00:00Z,m,${n},2`)
    const large = Buffer.from([csv.split('\n')[0], ...rows].join('\n'))
    const { check_id } = await begunOn(await uploadOf({ network }, large))
    const { checkUpload } = createUploadCheckSteps({ db, pools: poolsOver(pool) })
    await new MockActivityEnvironment().run(checkUpload, check_id)
    const used = (await readWindows(db, [key])).get(key)
    expect(used?.points).toBeGreaterThan(0)
    expect(used?.points).toBeLessThan(limits.computeMsOfNetwork)

    await countInWindows(db, new Map([[key, limits.computeMsOfNetwork]]), 600)
    const begin = async (more: Partial<NewAgent>) => {
      const list = { rail: 'tokenops', list: 'usage', corrections: {}, sheet: null } as const
      return beginUploadCheck(db, { ...(await uploadOf(more)), ...list }, bounds)
    }
    const refused = await begin({ network })
    expect(refused).toMatchObject({ refused: 'compute_used' })
    const { waitMs } = refused as Extract<NotBegun, { waitMs: number }>
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(limits.computeWindowSeconds * 1000)
    expect(await begin({ network: '203.0.113.0/24' })).toHaveProperty('check_id')
  },
)

verifies('input.checked', 'a file that is read by other names is kept as text once', async () => {
  const { db } = database
  const name = await stored(Buffer.from('a sheet'), sheetType)
  const text = csv.split('\n').slice(0, 2).join('\n')
  const extraction: Extraction = {
    type: 'service.extraction.v1',
    upload_sha256: name.sha256,
    media_type: sheetType,
    bytes: 7,
    extractor: 'xlsx',
    version: '1',
    sheet_asked: null,
    sheet: 'Usage',
    text,
    text_sha256: sha256Hex(text),
    unit: null,
    starts: [],
  }
  const outcome = { rows: 1, faults: groupFaults([]) }
  const run: RailPool['run'] = async ({ kind }) => (kind === 'extract' ? { extraction } : outcome)
  for (const columns of [{}, { usage: { agent: 'team' } }]) {
    const row = await begunOn(name, columns)
    await check({ run }, row)
    expect((await findUploadCheck(db, row.check_id))?.outcome).toMatchObject({ rows: 1 })
  }
  const kept = db.selectFrom('upload_checks').where('extraction', 'is not', null)
  expect(await kept.where('sha256', '=', name.sha256).select('check_id').execute()).toHaveLength(1)
})

verifies(
  'tiers.limits',
  'all uploads of an input count against the bytes of its tier',
  async () => {
    const { db } = database
    const { bytes_max } = packetops.tiers.entry
    const input = ({ sha256 }: InputName) => ({
      title: 'Backups',
      required_sections: ['backup'],
      items: [{ name: 'Policy', section: 'backup', upload: { sha256 } }],
    })
    const outcome = { rows: 0, chars: 1, faults: groupFaults([]) }
    const uploadChecks = new UploadChecks({
      db,
      changes: { wait: () => Promise.resolve(true) },
      start: async ({ check_id }) => {
        await endUploadCheck(db, check_id, outcome)
        return true
      },
    })
    const done = { result: 'done', findings: [], gaps: [] }
    const isolation = {
      pools: poolsOver(queueOf({ run: () => Promise.resolve(done) })),
      signal: undefined,
      report: () => undefined,
    }
    // The JSON of the input counts too.
    const [most, more] = [bytes_max - 1_000, bytes_max - 10]
    for (const bytes of [most, more]) {
      const name = await stored(randomBytes(bytes), 'application/pdf')
      const value = input(name)
      const asked = { owner: name.owner, rail: 'packetops', tier: 'entry', input: value } as const
      const assert = () => uploadChecks.assertUploads(asked)
      const work = () => workApart(isolation, { db, task, run: { round: 0 } } as never)
      const task_id = `task-${randomBytes(32).toString('hex')}`
      const input_sha256 = await storeDocument(db, task_id, value)
      const task = { task_id, agent_id: name.owner, rail: 'packetops', tier: 'entry', input_sha256 }
      if (bytes === most) {
        await assert()
        expect(await work()).toEqual(done)
        continue
      }
      const message = `packetops entry takes at most ${bytes_max} bytes, these are `
      await expect(assert()).rejects.toMatchObject({
        refusal: { extra: { faults: { groups: [{ message: expect.stringContaining(message) }] } } },
      })
      await expect(work()).rejects.toMatchObject({
        refusal: { code: 'input_rejected', detail: expect.stringContaining(message) },
      })
    }
  },
)

verifies(
  'files.screened',
  'a file with a secret is refused for every use, and its bytes are gone',
  async () => {
    const { db } = database
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const bytes = Buffer.from(docxOf(paragraph(`It opens with ${secrets[8]?.[0]}`)))
    const name = await stored(bytes, docx)
    let readings = 0
    const uploadChecks = new UploadChecks({
      db,
      changes: { wait: () => Promise.resolve(true) },
      start: async (row) => {
        readings += 1
        expect(await check(pool, row)).toMatchObject({ refused: 'it holds a password' })
        return true
      },
    })
    const item = { name: 'Policy', section: 'backup', upload: { sha256: name.sha256 } }
    const packet = { title: 'Backups', required_sections: ['backup'], items: [item] }
    const evidence = { id: 'a', title: 'Policy', upload: { sha256: name.sha256 } }
    const answers = { questions: [{ id: 'q', text: 'Is it locked?' }], evidence: [evidence] }
    const refusal = (pointer: string) => ({
      refusal: { code: 'forbidden_material', errors: [{ pointer, message: 'holds a password' }] },
    })
    const asked = { owner: name.owner, tier: 'entry' } as const
    for (let times = 0; times < 2; times++)
      await expect(
        uploadChecks.assertUploads({ ...asked, rail: 'packetops', input: packet }),
      ).rejects.toMatchObject(refusal('/input/items/0/upload'))
    await expect(
      uploadChecks.assertUploads({ ...asked, rail: 'diligenceops', input: answers }),
    ).rejects.toMatchObject(refusal('/input/evidence/0/upload'))
    expect(readings).toBe(1)
    expect(await (await readInput(db, name))?.stream.toArray()).toEqual([])
    expect(await tablesWith(db, [secrets[8]?.[1] as string])).toEqual([])
    async function* again() {
      yield bytes
    }
    const bounds = {
      bytesMax: 1e9,
      owner: { bytesMax: 1e9, uploadsMax: 4, sandbox: false, allBytesMax: 1e12 },
    }
    expect(await storeInput(db, name, docx, again(), bounds)).toEqual({
      ok: false,
      reason: 'secret',
      kind: 'a password',
    })
  },
)
