import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { submissionIdOf } from '#domain/resolver/directory.ts'
import { createDirectorySteps } from '../../../activities/directories/steps.ts'
import type { Outgoing, SendOutgoing } from '../../../activities/http/outgoing.ts'
import {
  findSubmission,
  insertSubmission,
  submitPrepared,
} from '../../../activities/store/resolver/directory-submissions.ts'
import { isLate } from '../../support/late.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

type Sent = Parameters<SendOutgoing>[0]
const answered = (status: number): Outgoing => ({
  ok: true,
  status,
  body: Buffer.alloc(0),
  type: undefined,
  encoding: undefined,
})
const silent: Outgoing = { ok: false, reason: 'timeout', detail: 'no answer' }

const stepsWith = (send: SendOutgoing) =>
  createDirectorySteps({ db: database.db, log: pino({ level: 'silent' }), send })

/** A submission that is to be sent. */
async function submitted(): Promise<string> {
  const directory = `d${randomBytes(6).toString('hex')}`
  const document = JSON.stringify({ directory })
  const document_sha256 = sha256Hex(document)
  const submission_id = submissionIdOf(directory, document_sha256)
  const prepared = { submission_id, directory, document, document_sha256, prepared_by: 'op' }
  await insertSubmission(database.db, prepared)
  await submitPrepared(database.db, submission_id, 'https://registry.example/in?key=s3cret')
  return submission_id
}

/** Makes the next attempt due. */
const hasten = (submissionId: string) =>
  database.db
    .updateTable('directory_submissions')
    .set({ next_attempt_at: sql<Date>`clock_timestamp() - interval '1 second'` })
    .where('submission_id', '=', submissionId)
    .execute()

verifies('directory.attempts', 'a step that runs twice at once sends one request', async () => {
  const id = await submitted()
  const sent: Sent[] = []
  const steps = stepsWith(async (request) => {
    const stored = await findSubmission(database.db, id)
    expect(stored).toMatchObject({ attempts: sent.push(request), last_failure: 'no_outcome' })
    return answered(201)
  })
  await Promise.all([steps.submitToDirectory(id), steps.submitToDirectory(id)])
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({ method: 'POST', headers: { 'idempotency-key': id } })
  expect(await steps.submitToDirectory(id)).toMatchObject({ state: 'accepted', attempts: 1 })
  expect(sent).toHaveLength(1)
})

verifies('directory.attempts', 'an attempt that died is followed by the same bytes', async () => {
  const id = await submitted()
  const sent: Sent[] = []
  const dying = stepsWith(async (request) => {
    sent.push(request)
    throw new Error('the process ends here')
  })
  await expect(dying.submitToDirectory(id)).rejects.toThrow('ends here')
  const steps = stepsWith(async (request) => {
    sent.push(request)
    return answered(204)
  })
  const waiting = await steps.submitToDirectory(id)
  expect(waiting).toMatchObject({ state: 'submitted', attempts: 1, lastFailure: 'no_outcome' })
  expect(waiting?.waitMs).toBeGreaterThan(5_000)
  await hasten(id)
  expect(await isLate(database.db, id, 10)).toBe(true)
  expect(await steps.submitToDirectory(id)).toMatchObject({ state: 'accepted', attempts: 2 })
  expect(sent).toHaveLength(2)
  expect(sent[1]).toEqual(sent[0])
})

verifies('directory.attempts', 'an unknown answer is tried eight times, then failed', async () => {
  const id = await submitted()
  let requests = 0
  const steps = stepsWith(async () => (++requests % 2 === 0 ? silent : answered(503)))
  for (const failures of [1, 2, 3, 4, 5, 6, 7]) {
    const state = { state: 'submitted', attempts: failures }
    expect(await steps.submitToDirectory(id)).toMatchObject(state)
    await hasten(id)
  }
  const ended = { state: 'failed', attempts: 8, waitMs: 0, lastFailure: 'timeout' }
  expect(await steps.submitToDirectory(id)).toMatchObject(ended)
  expect(await steps.submitToDirectory(id)).toMatchObject(ended)
  expect(requests).toBe(8)
})

verifies('directory.attempts', 'a refusal ends it, and SQL keeps what was sent', async () => {
  const id = await submitted()
  const steps = stepsWith(async () => answered(422))
  const refused = { state: 'refused', attempts: 1, lastFailure: 'status_422' }
  expect(await steps.submitToDirectory(id)).toMatchObject(refused)
  expect(await steps.submitToDirectory(`ds_${'0'.repeat(64)}`)).toBeNull()
  const { db } = database
  const changes = [
    { document: '{}', document_sha256: sha256Hex('{}') },
    { url: 'https://elsewhere.example/' },
    { state: 'submitted', next_attempt_at: new Date() },
  ] as const
  for (const change of changes) {
    const changed = db.updateTable('directory_submissions').set(change)
    await expect(changed.where('submission_id', '=', id).execute()).rejects.toThrow(
      /never changes|no such change/,
    )
  }
  const removed = db.deleteFrom('directory_submissions').where('submission_id', '=', id)
  await expect(removed.execute()).rejects.toThrow('never deleted')
})
