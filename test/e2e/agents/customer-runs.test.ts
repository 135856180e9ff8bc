import { afterAll, beforeAll, expect } from 'vitest'
import { openProduction } from '../../support/production.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let agent: Awaited<ReturnType<typeof openProduction>>
beforeAll(async () => {
  stack = await startStack()
  const hosts = [{ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }]
  const config = { BASE_URL: hosts[0]!.base }
  agent = await openProduction({
    hosts,
    operator: stack.accounts.operator.credential,
    config: config as never,
  })
})
afterAll(() => stack?.stop())

verifies('production.customer-run', 'a paid and reviewed run closes with its binding', async () => {
  const input = await agent.input()
  const payment_reference_id = await agent.paid(input.quote_id)
  const { body } = await agent.client.call('production-run-start', {
    ...input,
    payment_reference_id,
  })
  expect(body).toMatchObject({ challenge: null, binding: { completion_state: 'credit_funded' } })
  expect(body.gate.checks.map(({ ok }) => ok)).toEqual([true, true, true, true, true])
  const { run_id } = body.run
  await agent.order(String(body.binding.work_order_id), 'approve')
  const waits = async () => (await agent.status(run_id, 5_000)).waiting_for
  await expect.poll(waits).toEqual(['review'])
  await agent.approve('loop_step', run_id)
  const state = async () => (await agent.status(run_id, 5_000)).state
  await expect.poll(state).toBe('closed')
  const listed = (await agent.client.call('production-runs-read', { run_id })).body
  expect(listed).toMatchObject({
    total: 1,
    items: [
      {
        binding: {
          customer_account: input.customer_account,
          work_order_id: body.binding.work_order_id,
          payment_reference_id,
          return_package_id: expect.stringMatching(/^rp_/),
          receipt_id: expect.stringMatching(/^rc_/),
          completion_state: 'closed',
        },
      },
    ],
  })
  const { controls } = (await agent.client.call('hardening-read', {})).body
  expect(controls.find(({ control }) => control === 'release_controls')).toMatchObject({
    state: 'on',
    detail: '1 operational runs are begun, 0 of them without a stored approval',
  })
})
