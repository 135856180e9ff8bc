import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { type Prompt, promptOf } from '#domain/drafts/prompt.ts'
import type { ModelOutput } from '#domain/rails/drafts/draft.ts'
import { createOutgoing } from '../../../activities/http/outgoing.ts'
import { callModel, type ModelDeps, tokensAtMost } from '../../../activities/model/call-model.ts'
import { insertModelCalls, listModelOutputs } from '../../../activities/store/model/model-calls.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { completes, startModelServer } from '../../support/model-server.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
let server: Awaited<ReturnType<typeof startModelServer>>
let child: ChildProcess | undefined

beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  server = await startModelServer()
  await sql`truncate model_budgets`.execute(database.db)
})
afterEach(async () => {
  child?.kill('SIGKILL')
  await server.stop()
})
afterAll(() => database?.stop())

let subjects = 0
const newSubject = (): string => {
  subjects += 1
  return `run_${digestOf({ subjects })}`
}
const promptAbout = (question: string): Prompt =>
  promptOf({ about: 'Q', pointer: '/questions/0/text', question, passages: [] })

/** A stored call of a new subject, or of this one. */
async function stored(question = 'Who?', subject = newSubject()) {
  const prompt = promptAbout(question)
  await insertModelCalls(database.db, subject, [prompt])
  return { subject, prompt, sha256: prompt.sha256 }
}

const depsOf = (changes: Partial<ModelDeps> = {}): ModelDeps => ({
  db: database.db,
  log: pino({ level: 'silent' }),
  endpoint: server.endpoint(),
  budget: { perDay: 1_000_000, perSubject: 100_000, analysesPerDay: 0, anonymousPerDay: 0 },
  ...changes,
})

async function budgets(subject: string): Promise<{ day: number; subject: number }> {
  const rows = await database.db.selectFrom('model_budgets').selectAll().execute()
  const of = (prefix: string) =>
    rows
      .filter(({ scope }) => scope.startsWith(prefix))
      .reduce((sum, { tokens }) => sum + Number(tokens), 0)
  return { day: of('day:'), subject: of(`subject:${subject}`) }
}

verifies('model.once', 'a call is stored before it is used, and made once', async () => {
  server.behavior.now = completes('{"sentences":[]}', 321)
  const { subject, sha256, prompt } = await stored()
  const first = await callModel(depsOf(), subject, sha256)
  expect(first).toEqual({
    type: 'service.model-output.v1',
    prompt_sha256: sha256,
    model: 'test-model',
    outcome: 'answered',
    text: '{"sentences":[]}',
    tokens: 321,
  })
  expect(await callModel(depsOf(), subject, sha256)).toEqual(first)
  expect(server.asked).toHaveLength(1)
  expect(server.asked[0]?.messages).toEqual(prompt.messages)
  expect(server.asked[0]?.authorization).toBeUndefined()
  expect(await listModelOutputs(database.db, subject)).toEqual([
    { sha256: digestOf(first), content: first },
  ])
  expect(await budgets(subject)).toEqual({ day: 321, subject: 321 })
  const row = await database.db
    .selectFrom('model_calls')
    .select('prompt')
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow()
  expect(row.prompt).toBeNull()
})

verifies('model.once', 'a stored output never changes and is never deleted', async () => {
  const { subject, sha256 } = await stored()
  await callModel(depsOf(), subject, sha256)
  const change = database.db
    .updateTable('model_calls')
    .set({ attempts: 0 })
    .where('subject', '=', subject)
    .execute()
  const remove = database.db.deleteFrom('model_calls').where('subject', '=', subject).execute()
  await Promise.all([
    expect(change).rejects.toThrow('never changes'),
    expect(remove).rejects.toThrow('never deleted'),
  ])
})

verifies('model.budget', '50 parallel calls reserve exactly what the day allows', async () => {
  const prompt = promptAbout('Who?')
  const most = tokensAtMost(prompt)
  const waiting: (() => void)[] = []
  server.behavior.now = (asked, response) =>
    new Promise<void>((resolve) => {
      waiting.push(() => {
        completes('{"sentences":[]}', 100)(asked, response)
        resolve()
      })
    })
  const calls = await Promise.all(Array.from({ length: 50 }, () => stored()))
  const deps = depsOf({
    budget: {
      perDay: 7 * most + most - 1,
      perSubject: most,
      analysesPerDay: 0,
      anonymousPerDay: 0,
    },
  })
  const ends = calls.map(({ subject, sha256 }) => callModel(deps, subject, sha256))
  await expect.poll(() => waiting.length).toBe(7)
  await expect.poll(async () => (await outcomes(calls)).get('budget_exhausted')).toBe(43)
  expect((await budgets('')).day).toBe(7 * most)
  for (const answer of waiting) answer()
  await Promise.all(ends)
  expect(Object.fromEntries(await outcomes(calls))).toEqual({ answered: 7, budget_exhausted: 43 })
  expect((await budgets('')).day).toBe(700)
  expect(server.asked).toHaveLength(7)
})

async function outcomes(calls: readonly { subject: string }[]): Promise<Map<string, number>> {
  const all = await Promise.all(calls.map(({ subject }) => listModelOutputs(database.db, subject)))
  const counts = new Map<string, number>()
  for (const { content } of all.flat())
    counts.set(content.outcome, (counts.get(content.outcome) ?? 0) + 1)
  return counts
}

verifies('model.budget', 'the calls of one run stay within its own budget', async () => {
  const most = tokensAtMost(promptAbout('Who 1?'))
  const subject = newSubject()
  const deps = depsOf({
    budget: { perDay: 1_000_000, perSubject: 2 * most, analysesPerDay: 0, anonymousPerDay: 0 },
  })
  const found: ModelOutput['outcome'][] = []
  server.behavior.now = completes('{"sentences":[]}', null)
  for (const number of [1, 2, 3]) {
    const { sha256 } = await stored(`Who ${number}?`, subject)
    found.push((await callModel(deps, subject, sha256)).outcome)
  }
  // An endpoint that reports no usage is counted by what it could have used.
  expect(found).toEqual(['answered', 'answered', 'budget_exhausted'])
  expect(await budgets(subject)).toEqual({ day: 2 * most, subject: 2 * most })
})

verifies(
  ['model.budget', 'model.once'],
  'a killed call stays counted and is made once more, then given up',
  async () => {
    let reached = 0
    server.behavior.now = () => {
      reached += 1
    }
    const { subject, sha256, prompt } = await stored()
    const most = tokensAtMost(prompt)
    for (const time of [1, 2]) {
      child = fork(
        join(import.meta.dirname, 'killed-call.mjs'),
        [database.url, server.url, subject, sha256],
        { stdio: 'inherit' },
      )
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      await expect.poll(() => reached).toBe(time)
      child.kill('SIGKILL')
      await ended
      expect(await budgets(subject)).toEqual({ day: time * most, subject: time * most })
      expect(await listModelOutputs(database.db, subject)).toEqual([])
    }
    server.behavior.now = completes('{"sentences":[]}')
    expect(await callModel(depsOf(), subject, sha256)).toMatchObject({ outcome: 'interrupted' })
    expect(server.asked).toHaveLength(2)
    expect(await budgets(subject)).toEqual({ day: 2 * most, subject: 2 * most })
  },
)

const completion = (content: unknown) => JSON.stringify({ choices: [{ message: { content } }] })
/** What the server answers, how the call ends, and whether its reservation stays counted. */
const failures: [string, Parameters<typeof respond>, ModelOutput['outcome'], boolean][] = [
  ['a rate limit', [429, '{}'], 'rate_limited', false],
  ['a wrong key', [401, '{"error":"bad key"}'], 'refused', false],
  ['a redirect', [302, ''], 'refused', false],
  ['a broken gateway', [502, 'bad gateway'], 'unreachable', true],
  ['no JSON', [200, 'hello'], 'unreadable', true],
  ['another form', [200, '{"choices":[]}'], 'unreadable', true],
  ['content that is no text', [200, completion([{ type: 'text' }])], 'unreadable', true],
  ['half a character', [200, completion('\ud800')], 'unreadable', true],
  ['a text with NUL', [200, completion('a\0b')], 'unreadable', true],
  ['an endless answer', [200, completion('x'.repeat(70_000))], 'unreadable', true],
]
const respond = (status: number, body: string) => {
  server.behavior.now = (_asked, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body)
  }
}

verifies('model.fallback', 'each fault of an endpoint ends the call by its name', async () => {
  for (const [name, [status, body], outcome, counted] of failures) {
    respond(status, body)
    const { subject, sha256, prompt } = await stored(name)
    const output = await callModel(depsOf(), subject, sha256)
    expect([name, output.outcome, output.text]).toEqual([name, outcome, null])
    const left = (await budgets(subject)).subject
    expect([name, left]).toEqual([name, counted ? tokensAtMost(prompt) : 0])
  }
  server.behavior.now = () => undefined
  const late = await stored('late')
  const deps = depsOf({ endpoint: server.endpoint({}, 200) })
  expect(await callModel(deps, late.subject, late.sha256)).toMatchObject({ outcome: 'timeout' })
  const none = await stored('none')
  const without = depsOf({ endpoint: undefined })
  expect(await callModel(without, none.subject, none.sha256)).toMatchObject({
    outcome: 'not_configured',
  })
  expect((await budgets(none.subject)).subject).toBe(0)
})

verifies('model.secret', 'an endpoint at a private address is not called', async () => {
  const { subject, sha256 } = await stored()
  const send = createOutgoing({ ownHosts: [], exempt: [], timeoutMs: 5_000 })
  for (const url of [server.url, 'https://127.0.0.1/v1', 'https://localhost/v1']) {
    const one = await stored(url)
    const deps = depsOf({ endpoint: server.endpoint({ url, send }) })
    expect(await callModel(deps, one.subject, one.sha256)).toMatchObject({ outcome: 'unreachable' })
    expect((await budgets(one.subject)).subject).toBe(0)
  }
  expect(server.asked).toEqual([])
  expect((await callModel(depsOf(), subject, sha256)).outcome).toBe('answered')
})

verifies('model.secret', 'the key is sent, and is in no row and no log', async () => {
  const key = 'sk-test-7f3a9c51e0'
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  const deps = depsOf({ log, endpoint: server.endpoint({ key }) })
  const { subject, sha256 } = await stored()
  server.behavior.now = completes(
    ({ authorization }) => `{"sentences":[],"key":"${authorization}"}`,
  )
  expect(await callModel(deps, subject, sha256)).toMatchObject({
    outcome: 'unreadable',
    text: null,
  })
  const refused = await stored('refused')
  respond(401, `no such key: ${key}`)
  await callModel(deps, refused.subject, refused.sha256)
  expect(server.asked.map(({ authorization }) => authorization)).toEqual([
    `Bearer ${key}`,
    `Bearer ${key}`,
  ])
  const rows = await transaction(database.db, async (tx) => ({
    calls: await tx.selectFrom('model_calls').selectAll().execute(),
    budgets: await tx.selectFrom('model_budgets').selectAll().execute(),
  }))
  expect(lines.length).toBe(2)
  expect(canonicalJson(JSON.parse(JSON.stringify(rows))) + lines.join('')).not.toContain(key)
})
