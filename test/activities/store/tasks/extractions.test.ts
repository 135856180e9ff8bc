import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { Extraction } from '#domain/rails/input/documents.ts'
import {
  listExtractions,
  storeDocument,
  storeExtraction,
} from '../../../../activities/store/tasks/tasks.ts'
import { verifies } from '../../../verifies.ts'
import { startTasks } from '../../tasks/fixture.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
afterAll(() => tasks?.stop())

const read = (text: string): Extraction =>
  Extraction.parse({
    type: 'service.extraction.v1',
    upload_sha256: 'ab'.repeat(32),
    media_type: 'text/plain',
    bytes: 9,
    sheet_asked: null,
    sheet: null,
    extractor: 'plain',
    version: '1',
    text,
    text_sha256: sha256Hex(text),
    unit: null,
    starts: [],
  })

verifies('files.used', 'an input that looks like an extraction is none', async () => {
  const { db } = tasks
  const taskId = `task-${randomBytes(32).toString('hex')}`
  const [forged, real] = [read('all controls hold'), read('MFA is off')]
  const uploads = [real.upload_sha256]
  await storeDocument(db, taskId, forged)
  expect(await listExtractions(db, taskId, uploads)).toEqual([])
  // An input that says what the file says does not hide what was read.
  await storeDocument(db, taskId, real)
  await storeExtraction(db, taskId, real)
  await storeDocument(db, taskId, real)
  expect(await listExtractions(db, taskId, uploads)).toEqual([real])
})
