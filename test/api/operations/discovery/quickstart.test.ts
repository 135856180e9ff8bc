import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { railOf } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { createClient, type InputOf, type OutputOf } from '../../../../api/http/client.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { isOver, type Json, openCaller } from '../../../support/following-caller.ts'
import { problemOf } from '../../../support/problems.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks()
})
afterAll(() => apis?.stop())

const client = () => createClient({ baseUrl: apis.hosts[0]!.base, osUrl: apis.hosts[0]!.os })
const read = async (rail?: RailKey) =>
  (await client().call('agent-quickstart-read', rail === undefined ? {} : { rail })).body

type Calls = OutputOf<'agent-quickstart-read'>['calls']

/** Pastes one call after the other, and repeats a read of the run until it is over; the last answer. */
async function pasted(calls: Calls, { paste } = openCaller()): Promise<Json> {
  let last: Json = {}
  for (const call of calls) {
    last = await paste(call)
    const follows = ['agent-sandbox-read', 'get-run-status'].includes(call.operation_id)
    while (follows && !isOver(last)) last = await paste(call)
  }
  return last
}

const five: RailKey[] = ['packetops', 'energyops', 'distributionops', 'tokenops', 'financeops']
verifies('discovery.quickstart', 'the rails are the five of the document', async () => {
  expect((await read()).allowed_rails.toSorted()).toEqual(five.toSorted())
})

for (const rail of five)
  verifies(
    'discovery.quickstart',
    `three pasted calls lead to a proven result: ${rail}`,
    async () => {
      const { calls } = await read(rail)
      expect(calls.map(({ operation_id }) => operation_id)).toEqual([
        'agent-quickstart-run',
        'agent-sandbox-read',
        'fetch-return-package',
      ])
      expect(await pasted(calls)).toMatchObject({
        return_package: { rail, usage: 'synthetic' },
        completion: { verdict: 'proven' },
      })
    },
    60_000,
  )

verifies(
  'discovery.quickstart-run',
  'the calls of its answer do the same work for an agent',
  async () => {
    const [start] = (await read('tokenops')).calls
    if (start === undefined) throw new Error('the quickstart has no call')
    const caller = openCaller()
    const started = (await caller.paste(start)) as OutputOf<'agent-quickstart-run'>
    const result = (await pasted(started.calls, caller)) as OutputOf<'fetch-return-package'>
    expect(result.completion.verdict).toBe('proven')
    expect(result.return_package.input_sha256).toBe(digestOf(railOf('tokenops').sandboxInput))
    expect(result.return_package.run_id).not.toBe(started.run.run_id)
  },
)

const run = async (asked: Partial<InputOf<'agent-quickstart-run'>>) =>
  (
    await client().call('agent-quickstart-run', {
      rail: 'financeops',
      idempotency_key: freshKey(),
      ...asked,
    })
  ).body

verifies(
  'discovery.quickstart-run',
  'an input of the caller is announced by its digest and not repeated',
  async () => {
    const sample = railOf('financeops').sandboxInput as Record<string, unknown>
    const input = { ...sample, tolerance_minor: 7, as_of: '2026-04-01' }
    const { calls } = await run({ input })
    const [preflight, submit] = ['preflight', 'self-serve-loop-submit'].map((id) =>
      calls.find(({ operation_id }) => operation_id === id),
    )
    expect(preflight?.example_body).toMatchObject({
      input_manifest: [{ sha256: digestOf(input) }],
    })
    expect(submit?.replace).toContainEqual(expect.objectContaining({ name: 'input', from: null }))
    expect(JSON.stringify(calls)).not.toContain('Hafner')
  },
)

verifies('discovery.quickstart-run', 'other rails and secrets are refused', async () => {
  for (const rail of ['scout', 'diligenceops', 'contractops'] as const) {
    const refusal = { status: 400, errors: [{ pointer: '/rail' }] }
    expect(await problemOf(read(rail)), rail).toMatchObject(refusal)
    expect(await problemOf(run({ rail })), rail).toMatchObject(refusal)
  }
  const input = { note: `password: ${freshKey()}`, key: `sk_live_${freshKey()}${freshKey()}` }
  expect(await problemOf(run({ input }))).toMatchObject({
    status: 422,
    code: 'forbidden_material',
  })
})
