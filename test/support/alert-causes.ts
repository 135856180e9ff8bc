import { json } from 'node:stream/consumers'
import { sql } from 'kysely'
import { type Address, parseAbi } from 'viem'
import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import { createClient } from '../../api/http/client.ts'
import { PAYOUTS_QUEUE } from '../../temporal/queues.ts'
import type { Payout } from '../../worker/stack/treasury.ts'
import { type Agent, post, type Rail } from './agent.ts'
import { insist, pause } from './faults.ts'
import { freeze } from './processes.ts'
import { signedByTills } from './provider.ts'
import { newAgentClient, trustedAgent } from './registering-agent.ts'
import { startTlsServer } from './tls-server.ts'

/** Proves its host, and answers 500 to each callback. */
export async function startFailingReceiver() {
  const { port, stop } = await startTlsServer(async (request, answer) => {
    const { event, nonce } = (await json(request)) as { event: string; nonce?: string }
    if (event === 'host_proof') answer.end(JSON.stringify({ nonce }))
    else answer.writeHead(500).end()
  })
  return { origin: `https://localhost:${port}`, stop }
}

const hostsOf = ({ stack }: Rail) => ({
  base: stack.baseUrls[0] as string,
  os: stack.osUrls[0] as string,
})

/** An agent that waits for its review, and one whose task has stopped and whose callbacks fail. */
export async function leaveWork(rail: Rail, callbackUrl: string): Promise<void> {
  const hosts = hostsOf(rail)
  const { base: baseUrl, os: osUrl } = hosts
  await newAgentClient(hosts).register()
  const operator = rail.stack.accounts.operator.credential
  const contact = { callback_url: callbackUrl }
  const { agent, credential } = await trustedAgent(hosts, operator, { contact })
  const begun = await createClient({ baseUrl, osUrl, agent: credential }).call('preflight', {
    rail: 'tokenops',
    tier: 'standard',
    input: tokenops.sandboxInput as unknown as Record<string, unknown>,
    objective: 'what each model cost',
    idempotency_key: 'preflight',
  })
  const statusToken = begun.body.task_token
  const holder = createClient({ baseUrl, osUrl, statusToken, signAsAgent: agent.signText })
  await holder.call('task-exception-raise', {
    code: 'caller_dispute',
    detail: 'wrong',
    idempotency_key: 'raise',
  })
}

/** A payment of which the service knows nothing, by an event of its provider. */
export async function sendUnknownPayment(rail: Rail): Promise<void> {
  const body = JSON.stringify({
    event_id: 'evt_unknown',
    type: 'payment.settled',
    external_reference: 'cs_unknown',
    amount_usd: 107,
    currency: 'usd',
  })
  const url = `${hostsOf(rail).base}/api/agent-paid-callback-completion`
  const { status } = await post(url, body, signedByTills(body, 'msg_1'))
  expect(status).toBe(202)
}

export type Owned = { agent: Agent; payout: Payout }

/** Authorized payouts of these amounts in USDC; each agent makes three with its free calls. */
export async function authorizedPayouts(rail: Rail, amounts: readonly string[]): Promise<Owned[]> {
  const owned: Owned[] = []
  for (const [index, amount_usdc] of amounts.entries()) {
    const agent = index % 3 === 0 ? await rail.openAgent() : (owned.at(-1) as Owned).agent
    owned.push({ agent, payout: await rail.authorized(agent, { amount_usdc }) })
  }
  return owned
}

export const execute = ({ agent, payout: { payout_id } }: Owned) =>
  agent.client.call('payout-execute', { payout_id, idempotency_key: `execute-${payout_id}` })

export const executeToEnd = (owned: Owned) => insist(() => execute(owned))

/** The worker stands still while workflows wait for it; each of their tasks fails, as after a return to a release that does not know them. */
export async function leaveBacklog({ stack, temporal }: Rail, count: number): Promise<void> {
  const thaw = freeze(stack.worker())
  const start = (index: number) =>
    temporal.workflow.start('ofAnotherRelease', {
      taskQueue: PAYOUTS_QUEUE,
      workflowId: `of-another-release-${index}`,
    })
  const handles = await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
  await pause(8_000)
  thaw()
  await pause(4_000)
  await Promise.all(handles.map((handle) => handle.terminate()))
}

/** Does something while nothing reads or writes this table. */
export async function whileLocked<T>(
  { db }: Rail,
  table: string,
  act: () => Promise<T>,
): Promise<T> {
  return await transaction(db, async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx)
    return await act()
  })
}

/** Another spends what the payout wallet and the gas wallets hold. */
export async function emptyWallets(rail: Rail): Promise<void> {
  const { chain, asset, service } = rail
  const account = service.payoutWallet.address as Address
  await chain.setBalance({ address: account, value: 10n ** 18n })
  await chain.impersonateAccount({ address: account })
  const hash = await chain.writeContract({
    account,
    address: asset,
    abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
    functionName: 'transfer',
    args: ['0x00000000000000000000000000000000000000aa', await rail.balance(account)],
  })
  await chain.waitForTransactionReceipt({ hash })
  for (const { address } of service.gasWallets) await chain.setBalance({ address, value: 1n })
}
