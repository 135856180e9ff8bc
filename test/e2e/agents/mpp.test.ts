import { Receipt } from 'mppx'
import { McpClient as MppMcpClient } from 'mppx/mcp/client'
import { type Address, type PrivateKeyAccount, parseAbiItem } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Agent, openRail, proofOf, type Rail } from '../../support/agent.ts'
import { openAgentUse } from '../../support/agent-use.ts'
import { newWallet } from '../../support/chain.ts'
import { connectSdk } from '../../support/mcp.ts'
import { answerBy, chargeBy, forged, mppxFetch, readCredential } from '../../support/mpp.ts'
import { callsOf, openPayer, paymentHeader, signPayment } from '../../support/payments.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

// The client of mppx against the stack; every charge is counted by the transfers on chain.
let stack: TestStack
let rail: Rail
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  const env = { SWEEP_GRACE_MS: '200', SWEEP_EVERY_MS: '500', X402_MIN_REMAINING_S: '1' }
  stack = await startStack({ env: { ...env, X402_MAX_TIMEOUT_S: '20' } })
  rail = await openRail(stack)
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  agent = await openAgentUse(hosts, stack.accounts.operator.credential)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const transfer = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)
/** What a wallet has paid to the service on chain. */
const paidBy = async (from: Address) => {
  const args = { from, to: rail.service.payTo.address }
  const logs = await rail.chain.getLogs({
    address: rail.asset,
    event: transfer,
    args,
    fromBlock: 0n,
  })
  return logs.map(({ transactionHash, args: { value } }) => ({ transactionHash, value }))
}
const fee = { value: 100_000n, transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) }

/** One call of a payout operation that can be sent again: the same bytes and the same proof. */
async function callOf({ account, baseUrl }: Agent, operation: string, input: object) {
  const path = `/api/${operation}`
  const proof = await proofOf(account, baseUrl, path, input)
  const init = (headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...proof, ...headers },
    body: JSON.stringify(input),
  })
  const url = baseUrl + path
  return {
    send: (headers?: Record<string, string>) => fetch(url, init(headers)),
    pay: (payer: PrivateKeyAccount, send?: typeof fetch) => mppxFetch(payer, send)(url, init()),
  }
}
/** A payment by x402, on terms that are as long as those of this stack. */
async function signX402(payer: Agent) {
  const payment = await signPayment(rail, payer)
  return paymentHeader({ ...payment, accepted: { ...payment.accepted, maxTimeoutSeconds: 20 } })
}
const createCall = (payer: Agent, input = rail.terms()) => callOf(payer, 'payout-create', input)

/** The receipt, which has the transaction of the only charge and the time of its block. */
async function expectReceipt(answer: Response, payer: Address) {
  const [charge, ...others] = await paidBy(payer)
  expect(others).toEqual([])
  const { blockNumber } = await rail.chain.getTransactionReceipt({
    hash: charge?.transactionHash as `0x${string}`,
  })
  const { timestamp } = await rail.chain.getBlock({ blockNumber })
  expect(Receipt.fromResponse(answer)).toEqual({
    method: 'evm',
    status: 'success',
    reference: charge?.transactionHash,
    timestamp: new Date(Number(timestamp) * 1000).toISOString(),
  })
}

verifies(
  ['mpp.offer', 'mpp.paid', 'mpp.replay'],
  'mppx pays a create, and its repeats cost nothing',
  async () => {
    const payer = await openPayer(rail)
    const call = await createCall(payer)
    const unpaid = await call.send()
    expect(unpaid.status).toBe(402)
    expect(unpaid.headers.get('payment-required')).not.toBeNull()
    const { payment_challenges } = (await unpaid.json()) as { payment_challenges: object[] }
    expect(payment_challenges).toMatchObject([
      {
        realm: new URL(payer.baseUrl).host,
        method: 'evm',
        intent: 'charge',
        request: {
          amount: '100000',
          currency: rail.asset,
          recipient: rail.service.payTo.address,
          methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
        },
        digest: expect.stringMatching(/^sha-256=/),
      },
    ])
    const sent: Headers[] = []
    const paid = await call.pay(payer.account, (input, init) => {
      sent.push(new Headers(init?.headers))
      return fetch(input, init)
    })
    expect(paid.status).toBe(201)
    await expectReceipt(paid, payer.address)
    const credential = String(sent.at(-1)?.get('authorization'))
    expect(readCredential(credential).challenge).not.toHaveProperty('header')
    const created = await paid.json()
    // Past the end of its challenge as well.
    const { expires } = readCredential(credential).challenge
    await expect.poll(() => Date.now() > Date.parse(String(expires))).toBe(true)
    const repeats = await Promise.all([1, 2, 3].map(() => call.send({ authorization: credential })))
    for (const repeat of repeats) {
      expect(repeat.status).toBe(201)
      expect(repeat.headers.get('idempotent-replayed')).toBe('true')
      await expectReceipt(repeat, payer.address)
      expect(await repeat.json()).toEqual(created)
    }
    expect(await callsOf(rail, payer)).toMatchObject([
      { funding: 'payment', answer_state: 'final' },
    ])
  },
)

verifies('mpp.paid', 'mppx pays an execute before its transfer, for another wallet', async () => {
  const owner = await openPayer(rail)
  const { payout_id, recipient } = await rail.authorized(owner)
  const call = await callOf(owner, 'payout-execute', { payout_id, idempotency_key: 'execute' })
  const payer = await rail.openAgent({ tokens: 100_000n })
  const executed = await call.pay(payer.account)
  expect(executed.status).toBe(200)
  expect(await executed.json()).toMatchObject({ payout: { payout_id, state: 'executed' } })
  await expectReceipt(executed, payer.address)
  expect(await rail.balance(recipient)).toBe(1_000_000n)
})

verifies(
  ['mpp.both-ways', 'mpp.precedence'],
  'a call that is paid both ways is charged once',
  async () => {
    const payer = await openPayer(rail)
    const call = await createCall(payer)
    const byMpp = { authorization: await answerBy(payer.account, await call.send()) }
    const byX402 = await signX402(payer)
    const both = await call.send({ ...byMpp, ...byX402 })
    expect(both.status).toBe(201)
    await expectReceipt(both, payer.address)
    const repeats = await Promise.all([byMpp, byX402, { ...byMpp, ...byX402 }].map(call.send))
    for (const repeat of repeats) expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(await paidBy(payer.address)).toEqual([fee])
    // The payment of x402 was not read, so it pays another call.
    expect((await (await createCall(payer)).send(byX402)).status).toBe(201)
    expect(await paidBy(payer.address)).toEqual([fee, fee])
  },
)

verifies('mpp.both-ways', 'the two ways at once, in many requests, have one effect', async () => {
  const payer = await openPayer(rail)
  const terms = rail.terms()
  const call = await createCall(payer, terms)
  const byMpp = { authorization: await answerBy(payer.account, await call.send()) }
  const byX402 = await signX402(payer)
  const ways = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? byMpp : byX402))
  const answers = await Promise.all(ways.map(call.send))
  for (const { status } of answers) expect([201, 409, 503]).toContain(status)
  expect((await call.send(byMpp)).status).toBe(201)
  expect(await paidBy(payer.address)).toEqual([fee])
  const { db } = rail
  const payouts = db.selectFrom('payouts').select('payout_id')
  expect(await payouts.where('creator', '=', payer.address).execute()).toHaveLength(1)
})

verifies(
  ['mpp.refused', 'mpp.one-call'],
  'a credential for another call, body or amount moves nothing',
  async () => {
    const payer = await openPayer(rail)
    const terms = rail.terms()
    const call = await createCall(payer, terms)
    const authorization = await answerBy(payer.account, await call.send())
    const another = await createCall(payer)
    // The same call, whose body has other bytes.
    const proof = await proofOf(payer.account, payer.baseUrl, '/api/payout-create', terms)
    const spaced = () =>
      fetch(`${payer.baseUrl}/api/payout-create`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...proof, authorization },
        body: JSON.stringify(terms, null, 1),
      })
    const cheap = forged(authorization, ({ payload }) => (payload['value'] = '1'))
    const away = forged(authorization, ({ payload }) => (payload['to'] = newWallet().address))
    const evil = forged(authorization, ({ challenge }) => (challenge['realm'] = 'evil.example'))
    const stolen = forged(authorization, ({ payload }) => (payload['from'] = newWallet().address))
    const unsigned = forged(stolen, (credential) => delete credential.source)
    const refused = [
      [another.send({ authorization }), 'another call'],
      [spaced(), 'another body'],
      [call.send({ authorization: cheap }), 'another amount'],
      [call.send({ authorization: away }), 'another address'],
      [call.send({ authorization: evil }), 'another service'],
      [call.send({ authorization: stolen }), 'the source'],
      [call.send({ authorization: unsigned }), 'does not verify'],
      [call.send({ authorization: 'Payment x' }), 'another form'],
    ] as const
    for (const [sent, detail] of refused) {
      const answer = await sent
      expect(answer.status, detail).toBe(402)
      expect(answer.headers.get('www-authenticate'), detail).toMatch(/^Payment id="/)
      expect(await answer.json()).toMatchObject({
        code: 'payment_invalid',
        detail: expect.stringContaining(detail),
        money_moved: 'no',
        payment_challenges: [{ method: 'evm' }],
      })
    }
    expect(await paidBy(payer.address)).toEqual([])
    expect(await callsOf(rail, payer)).toEqual([])
    expect((await call.send({ authorization })).status).toBe(201)
    expect(await paidBy(payer.address)).toEqual([fee])
  },
)

const PRICE = 107_000_000n
/** The start of a run by an agent, whose Authorization is taken by its access key. */
async function startCall(units = 1) {
  const { quote_id } = await agent.quote('packetops', units)
  const input = agent.startInput(quote_id)
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${agent.credential}`,
  }
  const init = { method: 'POST', headers, body: JSON.stringify(input) }
  const url = `${stack.baseUrls[0]}/api/agent-use`
  return { input, url, init }
}

verifies(
  ['mpp.bearer', 'mpp.offer', 'mpp.replay'],
  'mppx pays a run next to an access key, and starts it once',
  async () => {
    const { url, init } = await startCall()
    const unpaid = await fetch(url, init)
    expect(unpaid.headers.get('www-authenticate')).toContain('header="Payment-Authorization"')
    const wallet = await rail.openAgent({ tokens: 3n * PRICE })
    const sent: Headers[] = []
    const pay = mppxFetch(wallet.account, (input, asked) => {
      sent.push(new Headers(asked?.headers))
      return fetch(input, asked)
    })
    const paid = await pay(url, init)
    expect(paid.status).toBe(202)
    await expectReceipt(paid, wallet.address)
    const last = sent.at(-1)
    expect(last?.get('authorization')).toBe(`Bearer ${agent.credential}`)
    const { run } = (await paid.json()) as { run: { run_id: string } }
    const again = await fetch(url, { ...init, headers: Object.fromEntries(last ?? []) })
    expect(await again.json()).toMatchObject({ run: { run_id: run.run_id } })
    await expectReceipt(again, wallet.address)
    const state = async () => (await agent.status(run.run_id)).state
    await expect.poll(state).toBe('credit_funded')
    expect(await rail.balance(wallet.address)).toBe(2n * PRICE)
  },
)

verifies(
  ['mpp.bearer', 'mpp.refused'],
  'a credential of one run starts no other, and leaves the offer',
  async () => {
    const [one, other] = [await startCall(), await startCall(2)]
    const wallet = await rail.openAgent({ tokens: 6n * PRICE })
    const credential = await answerBy(wallet.account, await fetch(one.url, one.init))
    const headers = { ...other.init.headers, 'Payment-Authorization': credential }
    const refused = await fetch(other.url, { ...other.init, headers })
    expect(refused.status).toBe(402)
    expect(refused.headers.get('www-authenticate')).toMatch(/^Payment id="/)
    expect(await refused.json()).toMatchObject({
      code: 'payment_invalid',
      detail: expect.stringContaining('another call'),
      accepts: [{ scheme: 'exact' }],
    })
    expect(await paidBy(wallet.address)).toEqual([])
  },
)

verifies('mpp.mcp', 'the MCP client of mppx pays a tool and has its receipt', async () => {
  const { input } = await startCall()
  const { mode: _mode, ...args } = input
  const wallet = await rail.openAgent({ tokens: 3n * PRICE })
  const bearer = { Authorization: `Bearer ${agent.credential}` }
  const mcp = await connectSdk(stack.baseUrls[0] as string, bearer)
  const paying = MppMcpClient.wrap(mcp as never, { methods: [chargeBy(wallet.account)] })
  const call = (paying as unknown as Paying).callTool
  const result = await call({ name: 'start_rail_run', arguments: args })
  expect(result.isError ?? false).toBe(false)
  const [charge] = await paidBy(wallet.address)
  expect(result.receipt).toMatchObject({
    method: 'evm',
    status: 'success',
    reference: charge?.transactionHash,
    challengeId: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(await rail.balance(wallet.address)).toBe(2n * PRICE)
  await mcp.close()
})
type Paying = {
  callTool(call: object): Promise<{ isError?: boolean; receipt?: object }>
}
