import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/http/client.ts'
import { openAgentUse, problemOf } from '../../support/agent-use.ts'
import { restart } from '../../support/processes.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  stack = await startStack()
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  agent = await openAgentUse(hosts, stack.accounts.operator.credential)
})
afterAll(() => stack?.stop())

verifies('loop.product', 'a bought run closes, and its package is proven by itself', async () => {
  const { quote_id } = await agent.quote('diligenceops')
  const { mode: _mode, rail: _rail, ...input } = agent.startInput(quote_id, 'diligenceops')
  const asked = { ...input, usage: 'operational' as const }
  const start = () => agent.client.call('diligence-loop-start', asked)
  expect(await problemOf(start())).toMatchObject({ status: 402 })
  const { payment_reference_id } = await agent.pay(quote_id)
  await agent.approve('payment_reference', payment_reference_id)
  const { body } = await start()
  const { run_id, task_id } = body.run
  const states = (stages: { state: string }[]) => stages.map(({ state }) => state).join(' ')
  expect(states(body.stages)).toBe('done done done to_do to_do to_do to_do')
  await agent.approve('task', task_id)
  const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  await agent.approve('loop_step', run_id)
  const read = async () => {
    const { body } = await agent.client.call('diligence-loop-read', { run_id })
    if (!('run' in body)) throw new Error('a run was expected')
    return body
  }
  // The proof is due by a row, so it survives the worker.
  await stack.worker().kill('SIGKILL')
  await restart(stack.worker())
  await expect
    .poll(async () => states((await read()).stages))
    .toBe('done done done done done done done')
  const { stages } = await read()
  const proof_id = stages.find(({ stage }) => stage === 'proof')?.evidence_id ?? ''
  const proof = (await agent.client.call('commerce-proof-read', { proof_id })).body
  expect(proof).toMatchObject({ decision: 'eligible_to_continue', usage: 'operational' })
  expect(proof).toMatchObject({ receipt: { kind: 'commerce' }, money_movement: false })
  // The signer is a process of its own here, and signs the types only that its policy names.
  const operator = createClient({
    baseUrl: stack.baseUrls[0] as string,
    operator: stack.accounts.operator.credential,
  })
  const { body: pack } = await operator.call('loop-audit-pack', { run_id })
  expect(pack.loops).not.toEqual([])
})
