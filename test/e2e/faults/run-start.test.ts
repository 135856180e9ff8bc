import { afterAll, beforeAll, expect } from 'vitest'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import { openAgentUse } from '../../support/agent-use.ts'
import { restart } from '../../support/processes.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { fundedWallet } from '../../support/wallets.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let store: OpenDatabase
beforeAll(async () => {
  stack = await startStack({ env: { LATE_AFTER_MS: '1000', SWEEP_EVERY_MS: '300' } })
  store = createDatabase({ url: stack.databaseUrl, applicationName: 'test' })
})
afterAll(async () => {
  await store?.close()
  await stack?.stop()
})

verifies(
  'durable.kill-start',
  'a start killed before its wake continues without its caller, paid once',
  async () => {
    const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
    const buyer = await openAgentUse(hosts, stack.accounts.operator.credential, {
      requested_scopes: ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'],
    })
    const approve = (id: string) => buyer.approve('payment_reference', id)
    const wallet_id = await fundedWallet(buyer.client, 500, approve)
    const { quote_id } = await buyer.quote()
    const input = { ...buyer.startInput(quote_id), wallet_id }
    const { agent_id } = buyer.registered.agent
    const task = () =>
      store.db
        .selectFrom('tasks')
        .select(['task_id', 'state', 'run_id'])
        .where('agent_id', '=', agent_id)
        .executeTakeFirst()
    const payments = () =>
      store.db
        .selectFrom('payment_references')
        .select(['state', 'amount_usd'])
        .where('payer', '=', wallet_id)
        .execute()

    // The decision is committed, and Temporal cannot be notified.
    await stack.temporal.kill('SIGKILL')
    const killed = buyer.start(input).catch(() => 'killed')
    await expect.poll(task, { interval: 20 }).toBeDefined()
    await stack.api().kill('SIGKILL')
    expect(await killed).toBe('killed')
    expect((await task())?.state).not.toBe('credit_funded')
    const paid = await payments()
    expect(paid.map(({ state }) => state)).toEqual(['verified'])

    await restart(stack.temporal)
    await expect.poll(async () => (await task())?.state).toBe('credit_funded')
    await restart(stack.api())
    // A repeat is 409 until the lease of the killed attempt ends.
    const repeat = async () => (await buyer.start(input)).body
    const answer = { challenge: null, run: { state: 'credit_funded' } }
    await expect.poll(repeat, { interval: 500 }).toMatchObject(answer)
    expect((await repeat()).run.task_id).toBe((await task())?.task_id)
    expect(await payments()).toEqual(paid)
  },
)
