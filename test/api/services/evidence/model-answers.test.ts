import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { analysisOf } from '#domain/analysis/analysis.ts'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import { packetInputOf, questionsOf } from '#domain/analysis/input.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import { draftsOf, promptsOf } from '#domain/drafts/make-drafts.ts'
import { promptOf } from '#domain/drafts/prompt.ts'
import { type DiligenceInput, diligenceops } from '#domain/rails/diligenceops/index.ts'
import { type PacketInput, packetops } from '#domain/rails/packetops/index.ts'
import { callModel, tokensAtMost } from '../../../../activities/model/call-model.ts'
import type { ModelBudget } from '../../../../activities/store/model/budget.ts'
import { insertModelCalls } from '../../../../activities/store/model/model-calls.ts'
import { type ModelDeps, modelAnswers } from '../../../../api/services/evidence/model-answers.ts'
import { quotesFirst, startModelServer } from '../../../support/model-server.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
let server: Awaited<ReturnType<typeof startModelServer>>
beforeAll(async () => {
  database = await startDatabase()
  server = await startModelServer()
})
beforeEach(async () => {
  server.behavior.now = quotesFirst
  await sql`truncate model_budgets, analysis_calls`.execute(database.db)
})
afterAll(async () => {
  await server?.stop()
  await database?.stop()
})

const anyone = { name: 'address:192.0.2.1', group: 'anonymous' } as const
const agent = { name: 'agent:agt_1', group: 'agents' } as const
const plenty = { perDay: 1_000_000, perSubject: 100_000 }
const limitsOf = (more: Partial<ModelBudget> = {}): ModelBudget => ({
  ...plenty,
  analysesPerDay: 1_000_000,
  anonymousPerDay: 1_000_000,
  ...more,
})
const modelOf = (budget: ModelBudget) => ({
  db: database.db,
  log: pino({ level: 'silent' }),
  endpoint: server.endpoint(),
  budget,
})
/** What the worker does, in this process. */
const depsOf = (more: Partial<ModelDeps> = {}, budget = limitsOf()): ModelDeps => ({
  db: database.db,
  model: 'test-model',
  callsPerCaller: 20,
  callsInAll: 200,
  ask: async (subject, prompts) => {
    await Promise.all(prompts.map((one) => callModel(modelOf(budget), subject, one)))
  },
  ...more,
})
let asked = 0
const newId = () => `an_${digestOf({ asked: ++asked })}`
const promptsAbout = (...questions: string[]) =>
  questions.map((question) =>
    promptOf({
      about: question,
      pointer: '/questions/0/text',
      question,
      passages: [
        { name: 'p1', pointer: '/evidence/0/text', from: 0, to: 13, text: 'It is a policy.' },
      ],
    }),
  )
const ask = (caller: typeof anyone | typeof agent, deps = depsOf(), analysisId = newId()) =>
  modelAnswers(deps, { analysisId, caller, prompts: promptsAbout('Who?') })
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof DomainError ? error.refusal.code : String(error)),
  )
const tokens = async () =>
  Object.fromEntries(
    (await database.db.selectFrom('model_budgets').selectAll().execute()).map(
      ({ scope, tokens: used }) => [scope.split(':')[0], Number(used)],
    ),
  )

verifies('analysis.model', 'what a model quotes becomes a finding of its own', async () => {
  const value = questionsOf(analysisFixture) as DiligenceInput
  const answers = diligenceops.work(value)
  const drafted = { rail: diligenceops as never, input: value, work: answers }
  const prompts = promptsOf(drafted)
  expect(prompts).toHaveLength(1)
  const outputs = await modelAnswers(depsOf(), { analysisId: newId(), caller: anyone, prompts })
  const packet = packetops.work(packetInputOf(analysisFixture) as PacketInput)
  const made = { analysisId: newId(), input: analysisFixture, packet, answers } as const
  const usage = 'unspecified' as const
  const analysis = analysisOf({ ...made, usage, drafts: draftsOf(drafted, outputs) })
  const rules = analysisOf({ ...made, usage, drafts: null })
  expect(analysis).toMatchObject({ analysis_mode: 'model', model: 'test-model' })
  expect(rules).toMatchObject({ analysis_mode: 'fallback', model: null })
  const own = analysis.findings.filter(({ source }) => source === 'model')
  expect(own.length).toBeGreaterThan(0)
  expect({ ...analysis, findings: analysis.findings.filter((one) => !own.includes(one)) }).toEqual({
    ...rules,
    analysis_mode: 'model',
    model: 'test-model',
  })
})

verifies('analysis.model', 'without an answer it is 502, and a repeat asks again', async () => {
  const before = server.asked.length
  server.behavior.now = (_, response) => {
    response.statusCode = 500
    response.end()
  }
  const id = newId()
  expect(await codeOf(ask(anyone, depsOf(), id))).toBe('provider_failed')
  server.behavior.now = quotesFirst
  expect(await ask(anyone, depsOf(), id)).toMatchObject([{ outcome: 'answered' }])
  // A third call reads what is stored.
  await ask(anyone, depsOf(), id)
  expect(server.asked.length - before).toBe(2)
  const silent = depsOf({ ask: async () => undefined })
  expect(await codeOf(ask(anyone, silent))).toBe('provider_failed')
})

verifies('analysis.budget', 'no caller makes more calls than its own', async () => {
  const before = server.asked.length
  const deps = depsOf({ callsPerCaller: 3, callsInAll: 5 })
  const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(ask(anyone, deps))))
  expect(codes.filter((code) => code === 'none')).toHaveLength(3)
  expect(new Set(codes)).toEqual(new Set(['none', 'rate_guardrail_reached']))
  expect(server.asked.length - before).toBe(3)
  const others = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      codeOf(
        modelAnswers(deps, {
          analysisId: newId(),
          caller: { ...anyone, name: `address:192.0.2.${at + 2}` },
          prompts: promptsAbout('Who?'),
        }),
      ),
    ),
  )
  expect(others.filter((code) => code === 'none')).toHaveLength(2)
  // Those of agents are another kind.
  expect(await codeOf(ask(agent, deps))).toBe('none')
})

verifies('analysis.tokens', 'analyses never use tokens of runs, nor of each other', async () => {
  const [prompt] = promptsAbout('Who?')
  if (prompt === undefined) throw new Error('a prompt was expected')
  const most = tokensAtMost(prompt)
  const deps = depsOf({}, limitsOf({ anonymousPerDay: most - 1, perDay: most }))
  expect(await codeOf(ask(anyone, deps))).toBe('rate_guardrail_reached')
  expect(await codeOf(ask(agent, deps))).toBe('none')
  const used = await tokens()
  expect([used['day'], used['anonymous']]).toEqual([undefined, undefined])
  expect(used['analyses']).toBe(100)
  const run = `run_${digestOf({ most })}`
  await insertModelCalls(database.db, run, [prompt])
  const output = await callModel(modelOf(limitsOf({ perDay: most })), run, prompt.sha256)
  expect(output.outcome).toBe('answered')
  expect(await tokens()).toMatchObject({ day: 100, analyses: 100 })
})
