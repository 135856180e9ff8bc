import { randomBytes } from 'node:crypto'
import {
  type Address,
  encodeAbiParameters,
  type Hex,
  type PrivateKeyAccount,
  parseAbi,
  parseEther,
  parseSignature,
  type TransactionReceipt,
} from 'viem'
import { type Agent, nowSeconds, post, proofOf, type Rail, type RawAnswer } from './agent.ts'
import type { TestWallet } from './chain.ts'

/** An x402 v2 payment payload as text on the wire has it (wire-facts §1.1). */
export type Payment = {
  x402Version: 2
  payload: { authorization: Authorization; signature: Hex }
  accepted: Record<string, unknown>
}
type Authorization = {
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: Hex
}

/** The documented terms of one call: 100000 atomic units of the asset on eip155:8453. */
export const termsOf = ({ asset, service }: Rail) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  asset,
  amount: '100000',
  payTo: service.payTo.address,
  maxTimeoutSeconds: 600,
  extra: { name: 'USD Coin', version: '2' },
})

/** Signs a payment by hand (EIP-3009 over EIP-712), for one call unless `more` says otherwise. */
export async function signPayment(
  rail: Rail,
  payer: Pick<TestWallet, 'account'>,
  more: Partial<Authorization> = {},
): Promise<Payment> {
  const accepted = termsOf(rail)
  const authorization: Authorization = {
    from: payer.account.address.toLowerCase(),
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(nowSeconds() + 600),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...more,
  }
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signature = await payer.account.signTypedData({
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: rail.asset },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: from as Address,
      to: to as Address,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
  })
  return { x402Version: 2, payload: { authorization, signature }, accepted }
}

const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/** The header that carries a payload, whatever it is: standard base64 of JSON. */
export const paymentHeader = (payment: unknown) => ({
  'PAYMENT-SIGNATURE': base64(JSON.stringify(payment)),
})
export const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The signature as an ERC-6492 wrapper would carry it, with a factory call that deploys the payer. */
export const wrapErc6492 = (signature: Hex): Hex =>
  `${encodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], [`0x${'11'.repeat(20)}`, '0x1234', signature])}${'6492'.repeat(16)}`

/** One call of the agent with a fresh wallet proof and these headers; returns the raw answer. */
export async function send(
  { stack }: Rail,
  { account, baseUrl }: Agent,
  operation: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const path = `/api/${operation}`
  const proof = await proofOf(account, stack.baseUrls[0] as string, path, body)
  return post(baseUrl + path, body, { ...proof, ...headers })
}

/** An agent without free calls and with this much to pay with. */
export async function openPayer(rail: Rail, tokens = 1_000_000n, api = 0): Promise<Agent> {
  const agent = await rail.openAgent({ tokens, api })
  await rail.useUpFreeCalls(agent.address)
  return agent
}

/** Atomic units that the service's pay-to address got while `work` ran. */
export async function earnings<T>(
  rail: Rail,
  work: () => Promise<T>,
): Promise<{ result: T; earned: bigint }> {
  const before = await rail.balance(rail.service.payTo.address)
  const result = await work()
  return { result, earned: (await rail.balance(rail.service.payTo.address)) - before }
}

/** The live calls of a wallet as the store has them, the seeded ones left out. */
export const callsOf = ({ db }: Rail, { address }: Pick<Agent, 'address'>) =>
  db
    .selectFrom('calls')
    .select(['operation', 'funding', 'grant_state', 'answer_state', 'payment_id', 'proof_nonce'])
    .where('caller', '=', `wallet:${address}`)
    .where('grant_state', '<>', 'released')
    .where('fingerprint', '<>', 'seeded')
    .orderBy('granted_at')
    .execute()

const tokenAbi = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** An account sends tokens by a transaction of its own, past the service; the transaction's receipt. */
export async function sendTokens(
  { chain, asset }: Rail,
  account: PrivateKeyAccount,
  to: Address,
  value: bigint,
): Promise<TransactionReceipt> {
  await chain.setBalance({ address: account.address, value: parseEther('1') })
  const args = [to, value] as const
  const hash = await chain.writeContract({
    account,
    address: asset,
    abi: tokenAbi,
    functionName: 'transfer',
    args,
  })
  return chain.waitForTransactionReceipt({ hash })
}

/** The payer sends all its money to another wallet, without the service. */
export async function emptyWallet(rail: Rail, { account }: Pick<Agent, 'account'>): Promise<void> {
  await sendTokens(rail, account, `0x${'ee'.repeat(20)}`, await rail.balance(account.address))
}

/** A third party broadcasts the payer's authorization, through the token's other overload; the transaction's hash. */
export async function broadcastByOther({ chain, asset }: Rail, { payload }: Payment): Promise<Hex> {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
  const { r, s, v } = parseSignature(payload.signature)
  const hash = await chain.writeContract({
    address: asset,
    abi: tokenAbi,
    functionName: 'transferWithAuthorization',
    args: [
      from as Address,
      to as Address,
      BigInt(value),
      BigInt(validAfter),
      BigInt(validBefore),
      nonce,
      Number(v),
      r,
      s,
    ],
  })
  await chain.waitForTransactionReceipt({ hash })
  return hash
}
