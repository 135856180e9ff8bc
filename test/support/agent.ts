import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Client as TemporalClient } from '@temporalio/client'
import type { Kysely } from 'kysely'
import type { Address, Hex, PrivateKeyAccount } from 'viem'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { bodySha256, encodeWalletProof, walletProofText } from '#domain/payouts/wallet-proof.ts'
import { readSecret } from '../../activities/config/secret-file.ts'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import {
  type Client,
  createClient,
  type InputOf,
  type OutputOf,
  ProblemError,
} from '../../api/http/client.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import type { ServiceAccounts } from '../../worker/stack/accounts.ts'
import { openPayingAgent } from '../../worker/stack/paying-agent.ts'
import {
  dollarTokenAbi,
  type LocalChainClient,
  localChainClient,
  mintTokens,
} from '../../worker/stack/token.ts'
import {
  type AuthorizeTerms,
  openTreasury,
  type Payout,
  type Treasury,
} from '../../worker/stack/treasury.ts'
import { newWallet } from './chain.ts'
import { within } from './slowness.ts'
import type { TestStack } from './stack.ts'

export type PayoutAnswer = OutputOf<'payout-status'>
/** A wallet with a client; `client` pays what it is asked for only when the agent was opened with tokens. */
export type Agent = {
  address: Address
  privateKey: Hex
  account: PrivateKeyAccount
  client: Client
  baseUrl: string
}
/** `tokens`: atomic units minted to the new wallet, with which its client pays; `api`: the process that it calls; `wallet`: the same one again. */
type AgentOptions = {
  tokens?: bigint
  api?: number
  wallet?: Pick<Agent, 'privateKey' | 'account' | 'address'>
}
export type RawAnswer = { status: number; headers: Headers; body: Record<string, unknown> }

/** What tests of the payout rail need for a running stack. `chain` acts as the token's owner. */
export type Rail = {
  stack: TestStack
  db: Kysely<Database>
  /** Connects when it is first used. */
  temporal: TemporalClient
  chain: LocalChainClient
  asset: Address
  service: ServiceAccounts
  treasury: Treasury
  openAgent(options?: AgentOptions): Promise<Agent>
  /** Terms of a payout of 1 USDC to a new wallet under a new key. */
  terms(more?: Partial<InputOf<'payout-create'>>): InputOf<'payout-create'>
  create(agent: Agent, more?: Partial<InputOf<'payout-create'>>): Promise<Payout>
  /** A payout that may be executed, by default for an hour; two free or paid calls of the agent. */
  authorized(
    agent: Agent,
    more?: Partial<InputOf<'payout-create'>>,
    terms?: Partial<AuthorizeTerms>,
  ): Promise<Payout>
  /** Uses up what is left of a wallet's ten free calls, by rows as ten calls would have left them. */
  useUpFreeCalls(address: Address): Promise<void>
  balance(address: string): Promise<bigint>
  stop(): Promise<void>
}

/** The fetch of the moment: a test may listen to it. */
const send: typeof fetch = (input, init) => fetch(input, init)

/** Opens its own connections to the stack; `stop` closes them and leaves the stack alone. */
export async function openRail(stack: TestStack): Promise<Rail> {
  const service = readSecret<ServiceAccounts>(
    join(stack.dataDirectory, 'keys', 'chain-accounts.json'),
  ) as ServiceAccounts
  const asset = stack.env['ASSET_CONTRACT_ADDRESS'] as Address
  const origin = stack.baseUrls[0] as string
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'test',
    poolSize: 4,
    connectTimeoutMs: 60_000,
  })
  const { db } = database
  const where = {
    TEMPORAL_ADDRESS: stack.temporalAddress,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_API_KEY: '',
  }
  const temporal = createTemporalClient({ ...where, TEMPORAL_TLS: 'off' })
  const chain = localChainClient(stack.rpcUrl, service.tokenOwner.private_key)
  const treasury = openTreasury({
    baseUrl: origin,
    origin,
    accounts: stack.accounts.treasury,
    operator: stack.accounts.operator.credential,
  })
  const terms: Rail['terms'] = (more = {}) => ({
    recipient: newWallet().address,
    amount_usdc: '1',
    idempotency_key: `key-${randomBytes(8).toString('hex')}`,
    memo: 'test',
    rail_reference: 'test',
    usage: 'synthetic',
    ...more,
  })
  const create: Rail['create'] = async (agent, more) => {
    const asked = terms(more)
    return (await settled(() => agent.client.call('payout-create', asked))).body.payout
  }
  return {
    stack,
    db,
    temporal: temporal.client,
    chain,
    asset,
    service,
    treasury,
    terms,
    create,
    openAgent: async ({ tokens = 0n, api = 0, wallet = newWallet() } = {}) => {
      const { address, privateKey, account } = wallet
      const baseUrl = stack.baseUrls[api] as string
      if (tokens > 0n) await mintTokens(chain, asset, address, tokens)
      const client =
        tokens > 0n
          ? openPayingAgent({ baseUrl, origin, privateKey, asset, send }).client
          : createClient({ baseUrl, origin, wallet: account })
      return { address, privateKey, account, client, baseUrl }
    },
    authorized: async (
      agent,
      more,
      {
        expiresAt = nowSeconds() + 3600,
        idempotencyKey = `auth-${randomBytes(8).toString('hex')}`,
        ...rest
      } = {},
    ) => {
      const payout = await create(agent, more)
      const input = await treasury.authorize(payout, { expiresAt, idempotencyKey, ...rest })
      return (await settled(() => agent.client.call('payout-authorize', input))).body.payout
    },
    useUpFreeCalls: (address) => useUpFreeCalls(db, address),
    balance: (address) =>
      chain.readContract({
        address: asset,
        abi: dollarTokenAbi,
        functionName: 'balanceOf',
        args: [address as Address],
      }),
    stop: async () => {
      await temporal.close()
      await database.close()
    },
  }
}

export const nowSeconds = () => Math.floor(Date.now() / 1000)

async function useUpFreeCalls(db: Kysely<Database>, address: Address): Promise<void> {
  const caller = `wallet:${address}`
  const rows = Array.from({ length: 10 }, (_, index) => ({
    call_id: `seeded-${address}-${index}`,
    caller,
    operation: 'payout-status',
    key: `seeded-${index}`,
    fingerprint: 'seeded',
    grant_state: 'used' as const,
    answer_state: 'final' as const,
    funding: 'free' as const,
    path: '/api/payout-status',
    status: 200,
    answer: '{}' as never,
  }))
  await db
    .insertInto('calls')
    .values(rows as never)
    .execute()
}

/** A wallet proof header for one call of `account`; the origin is the service's configured base URL. */
export async function proofOf(
  account: PrivateKeyAccount,
  origin: string,
  path: string,
  body: unknown,
  issuedAt = nowSeconds(),
): Promise<Record<string, string>> {
  const wallet = account.address.toLowerCase() as Address
  const terms = {
    origin,
    wallet,
    bodySha256: bodySha256(body),
    issuedAt,
    nonce: randomBytes(16).toString('hex'),
  }
  const signature = await account.signMessage({
    message: walletProofText({ ...terms, method: 'POST', path }),
  })
  const { bodySha256: body_sha256, nonce } = terms
  return {
    'X-Service-Wallet-Proof': encodeWalletProof({
      v: 1,
      wallet,
      chain_id: CHAIN_ID,
      method: 'POST',
      path,
      body_sha256,
      issued_at: issuedAt,
      nonce,
      signature,
    }),
  }
}

/** One POST as it is; a body that is a string is sent untouched. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

/** The answer of a call, repeated while its payment is not settled yet. */
async function settled<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== 'settlement_pending')
        throw error
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}

/** Asks again, by default every 100 ms, until the answer is right; the last answer otherwise. */
export async function eventually<T>(
  ask: () => Promise<T>,
  right: (answer: T) => boolean,
  withinMs = 120_000,
  everyMs = 100,
): Promise<T> {
  const until = Date.now() + within(withinMs)
  for (;;) {
    const answer = await ask()
    if (right(answer) || Date.now() > until) return answer
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
