import { setTimeout as pause } from 'node:timers/promises'
import { type Address, parseAbiItem } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { formatUsdc } from '#domain/core/money.ts'
import {
  authorizePayout,
  createClient,
  type OutputOf,
  payingFetch,
} from '../../clients/typescript/src/index.ts'
import { errorText } from '../error-text.ts'
import type { Demo } from './demo-run.ts'
import { localChainClient } from './token.ts'

const AMOUNT_USDC = '0.05'
const MAX_PER_CALL = 100_000n
const AGAIN_MS = 400
/** A person may kill the worker again and again for so long. */
const ENDED_WITHIN_MS = 15 * 60_000

/** A payment as it stands: how far it is, and what the chain says of its recipient, an address that was never paid before. */
export type ShownPayment = {
  amount_usdc: string
  recipient: Address
  step: 'create' | 'authorize' | 'execute' | 'final' | 'ended' | 'failed'
  payout_id: string | null
  transaction: string | null
  workflow_url: string | null
  receipt_urls: string[]
  error: string | null
}

/** Pays a new address once. `payment` changes as it proceeds; `ended` resolves in any case. */
export function payOnce(demo: Demo): { payment: ShownPayment; ended: Promise<void> } {
  const payment: ShownPayment = {
    amount_usdc: AMOUNT_USDC,
    recipient: privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address,
    step: 'create',
    payout_id: null,
    transaction: null,
    workflow_url: null,
    receipt_urls: [],
    error: null,
  }
  const ended = pay(demo, payment).catch((error: unknown) => {
    Object.assign(payment, { step: 'failed', error: errorText(error) })
  })
  return { payment, ended }
}

/** An agent's calls, each repeated with its key until it has its final answer: whatever is killed, none is made a second time. */
async function pay({ stack, hosts, ui, run }: Demo, payment: ShownPayment): Promise<void> {
  const { agent, treasury } = partiesOf(stack, hosts.baseUrl)
  const key = `${run}-${payment.recipient.slice(2, 10)}`
  const until = Date.now() + ENDED_WITHIN_MS

  const { payout } = await answered(until, () =>
    agent.call('payout-create', {
      recipient: payment.recipient,
      amount_usdc: AMOUNT_USDC,
      idempotency_key: `${key}-create`,
      memo: 'paid while its worker is killed',
      rail_reference: key,
      usage: 'synthetic',
    }),
  )
  const { payout_id } = payout
  Object.assign(payment, { step: 'authorize', payout_id, workflow_url: `${ui}/${payout_id}` })
  const expiresAt = Math.floor(Date.now() / 1000) + 3600
  const terms = { expiresAt, idempotencyKey: `${key}-authorize` }
  const authorization = await authorizePayout(treasury, payout, terms)
  await answered(until, () => agent.call('payout-authorize', authorization))

  payment.step = 'execute'
  const execute = { payout_id, idempotency_key: `${key}-execute` }
  const executed = await answered(until, () => agent.call('payout-execute', execute))
  payment.transaction = executed.payout.transfer.transaction_hash
  payment.step = 'final'
  for (;;) {
    const { receipts, payout } = (await agent.call('payout-status', { payout_id })).body
    if (payout.transfer.status === 'final') {
      payment.receipt_urls = await Promise.all(
        receipts.map((jws) => receiptUrl(hosts.baseUrl, jws)),
      )
      payment.step = 'ended'
      return
    }
    await again(until)
  }
}

type Stack = Demo['stack']

/** Clients that repeat what a killed worker leaves unanswered, which those of the first demo do not. */
function partiesOf({ accounts, env }: Stack, baseUrl: string) {
  const [payer] = accounts.agents
  if (payer === undefined) throw new Error('the demo needs an agent')
  const wallet = privateKeyToAccount(payer.private_key)
  const asset = env['ASSET_CONTRACT_ADDRESS'] as Address
  const paying = payingFetch(wallet, { asset, maxPerCall: MAX_PER_CALL })
  return {
    agent: createClient({ baseUrl, wallet, fetch: (url, init) => paying(url, init) }),
    treasury: {
      origin: baseUrl,
      holder: privateKeyToAccount(accounts.treasury.holder.private_key),
      principal: privateKeyToAccount(accounts.treasury.principal.private_key),
      operator: createClient({ baseUrl, operator: accounts.operator.credential }),
    },
  }
}

/** The answer of a call that may take longer than one request, which is 202 until then. */
async function answered<Body>(
  until: number,
  call: () => Promise<{ status: number; body: Body }>,
): Promise<Body> {
  for (;;) {
    const { status, body } = await call()
    if (status !== 202) return body
    await again(until)
  }
}

async function again(until: number): Promise<void> {
  if (Date.now() > until) throw new Error('the payment has not ended within 15 minutes')
  await pause(AGAIN_MS)
}

async function receiptUrl(baseUrl: string, receipt: string): Promise<string> {
  const verified: OutputOf<'verify-receipt'> = (
    await createClient({ baseUrl }).call('verify-receipt', { receipt })
  ).body
  return `${baseUrl}/api/verify-receipt?receipt_id=${String(verified['receipt_id'])}`
}

const transfer = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)

/** The transfers that the chain has to an address: how many, and their sum in USDC. */
export async function receivedOnChain(
  { accounts, env }: Stack,
  to: Address,
): Promise<{ transfers: number; received_usdc: string }> {
  const [payer] = accounts.agents
  const chain = localChainClient(accounts.rpc_url, payer?.private_key ?? generatePrivateKey())
  const logs = await chain.getLogs({
    address: env['ASSET_CONTRACT_ADDRESS'] as Address,
    event: transfer,
    args: { to },
    fromBlock: 0n,
    strict: true,
  })
  const sum = logs.reduce((total, { args }) => total + args.value, 0n)
  return { transfers: logs.length, received_usdc: formatUsdc(sum) }
}
