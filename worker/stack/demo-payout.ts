import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '#domain/core/limits.ts'
import { packageRoot } from '../../activities/config/package-root.ts'
import { createClient, executePayout, type OutputOf } from '../../clients/typescript/src/index.ts'
import type { Demo, RunningStack } from './demo-run.ts'
import { openPayingAgent, type PayingAgent } from './paying-agent.ts'
import { openTreasury } from './treasury.ts'

/** Little, so that the daily cap has room for other payouts and for many starts. */
const AMOUNT_USDC = '0.05'
const FINAL_WITHIN_MS = 60_000

type PayoutAnswer = OutputOf<'payout-status'>

/** What a stranger needs to check the payout. */
export type PayoutSummary = {
  payout: PayoutAnswer['payout']
  receipts: string[]
  transaction: string | null
  workflow_ids: string[]
}

/**
 * One real payout through the public API, as an agent plays it: free calls until they are used up, then x402, a mandate and
 * a principal signature, a crash in the middle of execute, and the same call again.
 */
export async function runDemoPayout({
  stack,
  hosts: { baseUrl },
  ui,
  run,
  timed,
  say,
}: Demo): Promise<PayoutSummary> {
  const { agents, treasury: treasuryAccounts, operator } = stack.accounts
  const [first, second] = agents
  if (first === undefined || second === undefined) throw new Error('the demo needs two agents')
  const agent = openPayingAgent({
    baseUrl,
    origin: baseUrl,
    privateKey: first.private_key,
    asset: stack.env['ASSET_CONTRACT_ADDRESS'] as `0x${string}`,
  })
  const treasury = openTreasury({
    baseUrl,
    origin: baseUrl,
    accounts: treasuryAccounts,
    operator: operator.credential,
  })
  const terms = {
    recipient: second.address,
    amount_usdc: AMOUNT_USDC,
    idempotency_key: run,
    memo: 'demo payout',
    rail_reference: run,
    usage: 'synthetic' as const,
  }
  const created = await timed('create', () => agent.client.call('payout-create', terms))
  const { payout } = created.body
  say(
    `created     ${payout.payout_id}: ${payout.amount_usdc} USDC to ${payout.recipient} (${payout.environment})`,
  )
  say(`            ${ui}/${payout.payout_id}`)

  await timed('use_up_free_calls', () => useUpFreeCalls(agent, payout.payout_id))
  say(`free calls  used up; from here every call is paid with x402 (0.1 USDC)`)

  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  const authorization = await timed('mandate', () =>
    treasury.authorize(payout, { expiresAt, idempotencyKey: `${run}-authorize` }),
  )
  say(
    `mandate     issued for the exact payout, presented by the treasury holder, signed by the principal`,
  )
  const authorized = await timed('authorize', () =>
    agent.client.call('payout-authorize', authorization),
  )
  say(
    `authorized  mandate ${authorized.body.payout.mandate_ref}, paid in ${paidIn(authorized.headers)}`,
  )

  const execute = { payout_id: payout.payout_id, idempotency_key: `${run}-execute` }
  await timed('crash', () => crashInExecute(baseUrl, stack, execute))
  say(
    'crashed     the agent was killed with its execute under way; it comes back with the same key',
  )
  const executed = await timed('execute', () => executePayout(agent.client, execute))
  const transaction = executed.payout.transfer.transaction_hash
  say(`executed    ${transaction} in block ${executed.payout.transfer.block_number}`)

  const final = await timed('final', () => waitFinal(agent, payout.payout_id))
  await checkReceipts(baseUrl, final.receipts, say)
  return {
    payout: final.payout,
    receipts: final.receipts,
    transaction,
    workflow_ids: [payout.payout_id],
  }
}

/** Reads the status until the answer carries a payment: the free tier of this wallet is used up then, whatever was left of it. */
async function useUpFreeCalls(agent: PayingAgent, payoutId: string): Promise<void> {
  for (let call = 0; call <= limits.freeCallsPerWindow; call += 1) {
    const { headers } = await agent.client.call('payout-status', { payout_id: payoutId })
    if (headers.has('payment-response')) return
  }
  throw new Error('more free calls were granted than there are')
}

function paidIn(headers: Headers): string {
  const header = headers.get('payment-response')
  if (header === null) return 'a free call'
  const { transaction } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    transaction: string
  }
  return transaction
}

/** A second process plays the same agent and is killed while its call runs: nothing of it is left but what the service stored. */
async function crashInExecute(
  baseUrl: string,
  stack: RunningStack,
  execute: { payout_id: string; idempotency_key: string },
): Promise<void> {
  const program = join(packageRoot, 'dist', 'worker', 'stack', 'crashing-agent.js')
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      AGENT_KEY: stack.accounts.agents[0]?.private_key,
      BASE_URL: baseUrl,
      ASSET: stack.env['ASSET_CONTRACT_ADDRESS'],
      EXECUTE: JSON.stringify(execute),
    },
    stdio: 'inherit',
  })
  await new Promise((resolve) => child.once('exit', resolve))
}

async function waitFinal(agent: PayingAgent, payoutId: string): Promise<PayoutAnswer> {
  const until = Date.now() + FINAL_WITHIN_MS
  for (;;) {
    const { body } = await agent.client.call('payout-status', { payout_id: payoutId })
    if (body.payout.transfer.status === 'final') return body
    if (Date.now() > until) throw new Error(`the transfer is still ${body.payout.transfer.status}`)
    await sleep(1000)
  }
}

async function checkReceipts(
  baseUrl: string,
  receipts: readonly string[],
  say: Demo['say'],
): Promise<void> {
  const client = createClient({ baseUrl })
  for (const receipt of receipts) {
    const { body } = await client.call('verify-receipt', { receipt })
    say(
      `receipt     ${String(body['kind']).padEnd(17)} ${body['verified'] ? 'verified' : 'NOT VERIFIED'}  ${baseUrl}/api/verify-receipt?receipt_id=${String(body['receipt_id'])}`,
    )
    if (!body['verified']) throw new Error('a receipt of the demo does not verify')
  }
}
