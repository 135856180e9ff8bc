import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { promptOf } from '#domain/drafts/prompt.ts'
import { createModelSteps } from '../../activities/model/model.ts'
import { type ModelDeps, modelAnswers } from '../../api/services/evidence/model-answers.ts'
import { askForAnalysis } from '../../temporal/analyses.ts'
import { quotesFirst, startModelServer } from '../support/model-server.ts'
import { startDatabase, type TestDatabase } from '../support/postgres.ts'
import { quietRuntime } from '../support/quiet.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'
import { withWorkers } from './recording-workers.ts'

quietRuntime()
let database: TestDatabase
let temporal: Awaited<ReturnType<typeof startTemporal>>
let server: Awaited<ReturnType<typeof startModelServer>>
beforeAll(async () => {
  database = await startDatabase()
  temporal = await startTemporal()
  server = await startModelServer()
})
afterAll(async () => {
  await server?.stop()
  await temporal?.stop()
  await database?.stop()
})

verifies('analysis.worker', 'a worker asks the model, and the call reads its answers', async () => {
  server.behavior.now = quotesFirst
  const { db } = database
  const steps = createModelSteps({
    db,
    log: pino({ level: 'silent' }),
    endpoint: server.endpoint(),
    budget: { perDay: 0, perSubject: 100_000, analysesPerDay: 0, anonymousPerDay: 100_000 },
  })
  const text = 'Access rights are reviewed every quarter.'
  const prompts = ['Who?', 'When?'].map((question) =>
    promptOf({
      about: question,
      pointer: '/questions/0/text',
      question,
      passages: [{ name: 'p1', pointer: '/evidence/0/text', from: 0, to: text.length, text }],
    }),
  )
  const caller = { name: 'address:192.0.2.1', group: 'anonymous' } as const
  const asked = { analysisId: `an_${digestOf({ text })}`, caller, prompts }
  await withWorkers(temporal.address, steps, async (client) => {
    const deps: ModelDeps = {
      db,
      model: 'test-model',
      callsPerCaller: 20,
      callsInAll: 200,
      ask: askForAnalysis.bind(null, client),
    }
    const answers = await Promise.all([modelAnswers(deps, asked), modelAnswers(deps, asked)])
    expect(answers[0].map(({ outcome }) => outcome)).toEqual(['answered', 'answered'])
    expect(answers[1]).toEqual(answers[0])
    expect(server.asked).toHaveLength(2)
    return ''
  })
})
