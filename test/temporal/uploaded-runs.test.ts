import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { railOf } from '#domain/rails/index.ts'
import { sheetType } from '#domain/rails/input/documents.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { tokenops, type UsageRow } from '#domain/rails/tokenops/index.ts'
import type { TaskState } from '#domain/tasks/lifecycle.ts'
import type { Check, TaskTerms } from '#domain/tasks/terms.ts'
import { createUploadCheckSteps } from '../../activities/runs/check-upload.ts'
import { replayApart } from '../../activities/runs/isolation/replay-uploads.ts'
import { storeInput } from '../../activities/runs/stored-input.ts'
import { plannedChecks } from '../../activities/runs/validation.ts'
import { keptUntil } from '../../activities/store/inputs/agent-inputs.ts'
import {
  beginUploadCheck,
  type UploadCheckRow,
} from '../../activities/store/inputs/upload-checks.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { findReturnPackage, listLoopSteps } from '../../activities/store/runs/runs.ts'
import { listTaskExceptions } from '../../activities/store/tasks/task-exceptions.ts'
import { requireTask } from '../../activities/store/tasks/tasks.ts'
import { provideInput, storeTaskInput } from '../../api/services/tasks/input.ts'
import { recordOf } from '../../api/services/tasks/replay-package.ts'
import { trustedAgent } from '../activities/tasks/fixture.ts'
import { numberCell, textCell, xlsxOf } from '../support/office-files.ts'
import { quietRuntime } from '../support/quiet.ts'
import { poolsOver, startRailPool } from '../support/rail-pool.ts'
import { verifies } from '../verifies.ts'
import { usageMaterial } from '../workflows/domain/rails/tokenops/usage.ts'
import { startTaskWorkflows } from './task-fixture.ts'

quietRuntime()
let fixture: Awaited<ReturnType<typeof startTaskWorkflows>>
beforeAll(async () => {
  fixture = await startTaskWorkflows()
  await fixture.serve()
})
afterAll(() => fixture?.stop())

const { usage, ...head } = usageMaterial(20_000)
const inline = { ...head, usage: usage.slice(0, 5_000) }
const types = {
  csv: 'text/csv',
  jsonl: 'application/x-ndjson',
  xlsx: sheetType,
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
} as const
const columns = ['at', 'agent', 'model', 'task', 'input_tokens', 'output_tokens'] as const
const textOf = {
  csv: (rows: UsageRow[]) =>
    [
      columns.join(','),
      ...rows.map((row) => columns.map((name) => row[name] ?? '').join(',')),
    ].join('\n'),
  jsonl: (rows: UsageRow[]) => rows.map((row) => JSON.stringify(row)).join('\n'),
}

async function upload(
  format: keyof typeof types,
  text: string | Uint8Array,
  owner = trustedAgent,
): Promise<string> {
  const bytes = Buffer.from(text as Uint8Array)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  async function* stream() {
    yield bytes
  }
  const bounds = {
    bytesMax: 2 ** 28,
    owner: { bytesMax: 2 ** 28, uploadsMax: 4, sandbox: false, allBytesMax: 2 ** 40 },
  }
  await storeInput(fixture.db, { owner, sha256 }, types[format], stream(), bounds)
  return sha256
}
const reaches = (taskId: string, state: TaskState) =>
  expect.poll(async () => (await fixture.rowOf(taskId)).state, { interval: 100 }).toBe(state)
const provide = (taskId: string, input: unknown) =>
  transaction(fixture.db, (tx) => provideInput(tx, taskId, input))
/** A funded task of the rail that waits for nothing but its input. */
const waiting = async (changed: Partial<TaskTerms> = {}) =>
  (await fixture.tasks.taskIn('credit_funded', { rail: 'tokenops', ...changed })).task_id
async function packageOf(taskId: string) {
  await fixture.gateway.wake(taskId)
  await reaches(taskId, 'attested')
  return findReturnPackage(fixture.db, String((await fixture.rowOf(taskId)).run_id))
}

verifies(
  'input.used',
  'a list named by its digest gives the result of the same rows inline',
  async () => {
    const first = inline.usage
    const results = []
    for (const format of ['csv', 'jsonl'] as const) {
      const text = textOf[format](first)
      const sha256 = await upload(format, text)
      const bytes = Buffer.byteLength(text)
      const taskId = await waiting({ input_manifest: [{ name: 'usage', sha256, bytes }] })
      await provide(taskId, { ...head, usage: { sha256 } })
      expect(
        await keptUntil(
          fixture.db,
          { owner: trustedAgent, sha256 },
          { keepMs: 1, sandboxKeepMs: 1 },
        ),
      ).toBeUndefined()
      results.push((await packageOf(taskId))?.result_sha256)
      const steps = await listLoopSteps(fixture.db, String((await fixture.rowOf(taskId)).run_id))
      const validated = steps.find(({ step }) => step === 'validator')
      const { checks = [] } = (validated?.output ?? {}) as { checks?: Check[] }
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      expect(checks.map(({ check }) => check)).toEqual(
        plannedChecks(tokenops, head).map(({ check }) => check),
      )
    }
    const expected = digestOf(tokenops.work(tokenops.input.parse(inline)).result)
    expect(results).toEqual([expected, expected])
  },
)

verifies('reading.forms', 'runs on files as they are exported pass their validator', async () => {
  const cases: [RailKey, string, string, keyof typeof types, string][] = [
    ['financeops', 'payments', 'camt053.xml', 'xml', 'CAMT'],
    ['financeops', 'payments', 'rabobank-iban.sta', 'text', 'MT940'],
    ['energyops', 'readings', 'openespi.xml', 'xml', 'ESPI'],
    ['tokenops', 'usage', 'anthropic-usage.json', 'json', 'Anthropic'],
    ['distributionops', 'recipients', 'credits.ach', 'text', 'NACHA'],
  ]
  for (const [rail, list, name, format, form] of cases) {
    const path = join(import.meta.dirname, '../workflows/domain/rails', rail, 'files', name)
    const bytes = await readFile(path)
    const sha256 = await upload(format, bytes)
    const manifest = [{ name: list, sha256, bytes: bytes.length }]
    const taskId = await waiting({ rail, tier: 'pro', input_manifest: manifest })
    const sample = railOf(rail).sandboxInput as Record<string, unknown>
    await provide(taskId, { ...sample, [list]: { sha256 } })
    expect(await packageOf(taskId), name).toBeDefined()
    const steps = await listLoopSteps(fixture.db, String((await fixture.rowOf(taskId)).run_id))
    const { checks = [] } = (steps.find(({ step }) => step === 'validator')?.output ?? {}) as {
      checks?: Check[]
    }
    expect(checks.length, name).toBeGreaterThan(2)
    expect(
      checks.filter(({ ok }) => !ok),
      name,
    ).toEqual([])
    const worked = JSON.stringify(steps.find(({ step }) => step === 'worker')?.output)
    expect(worked, name).toContain('file_reading')
    expect(worked, name).toContain(form)
  }
})

verifies(
  ['files.sheets', 'files.replayed'],
  'a run on a sheet and its replay give the result of the same rows',
  async () => {
    const rows = inline.usage.slice(0, 200)
    const cells = (row: UsageRow) =>
      columns.map((name) => {
        const value = row[name] ?? ''
        return typeof value === 'number' ? numberCell(value) : textCell(value)
      })
    const sha256 = await upload(
      'xlsx',
      xlsxOf({ rows: [columns.map(textCell), ...rows.map(cells)] }),
    )
    const asked = { owner: trustedAgent, sha256, rail: 'tokenops', list: 'usage' } as const
    const named = { ...asked, corrections: {}, sheet: 'Rows' }
    const check = await beginUploadCheck(fixture.db, named, {
      openMax: 2,
      perDay: { readings: 9, bytes: 1e9 },
    })
    const pool = startRailPool()
    try {
      const { checkUpload } = createUploadCheckSteps({ db: fixture.db, pools: poolsOver(pool) })
      const { check_id } = check as UploadCheckRow
      expect(await new MockActivityEnvironment().run(checkUpload, check_id)).toMatchObject({
        rows: 200,
        faults: 0,
      })
      const taskId = await waiting()
      await provide(taskId, { ...head, usage: { sha256, sheet: 'Rows' } })
      const made = await packageOf(taskId)
      const expected = tokenops.work(tokenops.input.parse({ ...inline, usage: rows }))
      expect(made?.result_sha256).toBe(digestOf(expected.result))
      const record = await transaction(fixture.db, async (tx) =>
        recordOf('https://service.test', tx, await requireTask(tx, taskId)),
      )
      const file = { replay_package: record, jws: 'none', verify_instructions: '' }
      const { checks } = await replayApart(pool, file, {}, [])
      expect(checks.find(({ check }) => check === 'replay')).toMatchObject({
        ok: true,
        detail: expect.stringContaining(digestOf(expected.result)),
      })
    } finally {
      await pool.close()
    }
  },
)

verifies(
  ['files.sheets', 'input.used'],
  'a file that was not read before its run stops it at the intake',
  async () => {
    const sha256 = await upload('xlsx', xlsxOf({ rows: [[textCell('at')]] }))
    const taskId = await waiting()
    await provide(taskId, { ...head, usage: { sha256 } })
    await fixture.gateway.wake(taskId)
    await reaches(taskId, 'exception_open')
    const [exception] = await listTaskExceptions(fixture.db, taskId)
    expect(exception).toMatchObject({
      code: 'input_invalid',
      detail: expect.stringContaining('file_unreadable /usage: the file has faults'),
    })
  },
)

verifies(
  'input.used',
  'a wrong row stops a run by its line; another input replaces it',
  async () => {
    const wrong = await upload('csv', `${textOf.csv(usage)}\n2026-01-01T00:00:00Z,a,m,t,-1,2\n`)
    const right = await upload('csv', textOf.csv(usage))
    const taskId = await waiting()
    await provide(taskId, { ...head, usage: { sha256: wrong } })
    await fixture.gateway.wake(taskId)
    await reaches(taskId, 'exception_open')
    const [exception] = await listTaskExceptions(fixture.db, taskId)
    expect(exception).toMatchObject({ code: 'input_invalid', resume_state: 'operating' })
    expect(exception?.detail).toMatch(/^worker: Line 20002 of usage is refused: input_tokens: /)
    const task = await fixture.rowOf(taskId)
    const { sha256 } = await transaction(fixture.db, (tx) =>
      storeTaskInput(tx, task, { ...head, usage: { sha256: right } }),
    )
    await fixture.send(taskId, 'replay_prepared', { action: 'correct_input' })
    await fixture.send(taskId, 'replayed', { input_sha256: sha256 })
    const made = await packageOf(taskId)
    const { rows } = tokenops
    const fold = rows?.open(head)
    for (const [index, row] of usage.entries()) fold?.take('usage', row, index)
    expect(made?.result_sha256).toBe(digestOf(fold?.close().result))
    await fixture.replay(taskId, String(task.run_id))
  },
)

verifies('input.used', 'inputs not uploaded, of others or not announced are refused', async () => {
  const refusal = (taskId: string, input: unknown) =>
    provide(taskId, input).then(
      () => undefined,
      (error: { refusal?: { code: string } }) => error.refusal?.code,
    )
  const [mine, theirs] = [
    await upload('jsonl', '{"a":1}'),
    await upload('jsonl', '{"a":2}', 'agt_other'),
  ]
  const taskId = await waiting()
  for (const sha256 of [theirs, 'd'.repeat(64)])
    expect(await refusal(taskId, { ...head, usage: { sha256 } })).toBe('evidence_mismatch')
  const announced = await waiting({
    input_manifest: [{ name: 'usage', sha256: 'd'.repeat(64), bytes: 1 }],
  })
  expect(await refusal(announced, { ...head, usage: { sha256: mine } })).toBe('evidence_mismatch')
  expect(await fixture.rowOf(announced)).toMatchObject({ input_sha256: null })
})
