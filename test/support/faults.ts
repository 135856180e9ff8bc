import { type Address, type Hex, parseAbi } from 'viem'
import { expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { type Answer, ProblemError } from '../../api/http/client.ts'
import type { Part } from '../../worker/stack/part.ts'
import { dollarTokenAbi } from '../../worker/stack/token.ts'
import type { Payout } from '../../worker/stack/treasury.ts'
import { eventually, type PayoutAnswer, type Rail } from './agent.ts'
import { freeze, pause } from './processes.ts'
import { within } from './slowness.ts'
import type { TestStack } from './stack.ts'

export { pause, restart, takeDown } from './processes.ts'

/** Does something with a stack; a failure also says how its programs are, and the end of their logs. */
export async function explained<T>(stack: TestStack, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const parts = [stack.worker(), stack.runWorker(), stack.api()]
    const states = parts.map(
      (part) => `${part.name}: ${part.end ?? `runs as ${part.pid}`}\n${part.logTail()}`,
    )
    throw new Error([String(error), ...states].join('\n\n'), { cause: error })
  }
}

/** The owner of the token stops it or lets it continue. */
export async function asTokenOwner(
  { chain, asset }: Pick<Rail, 'chain' | 'asset'>,
  functionName: 'pause' | 'unpause',
): Promise<void> {
  const hash = await chain.writeContract({ address: asset, abi: dollarTokenAbi, functionName })
  await chain.waitForTransactionReceipt({ hash })
}

/** What /readyz and /healthz say: `down` names the checks that are not well. */
export async function readiness({ baseUrls: [url] }: TestStack) {
  const [ready, health] = await Promise.all([fetch(`${url}/readyz`), fetch(`${url}/healthz`)])
  const { ok, checks } = (await ready.json()) as {
    ok: boolean
    checks: Record<string, { ok: boolean }>
  }
  const down = Object.keys(checks).filter((name) => checks[name]?.ok === false)
  return { health: health.status, status: ready.status, ok, down: down.sort() }
}

/** Each is 503 `unavailable` and came within 2 s. */
export function expectUnavailable(refusals: { status: number; code: string; ms: number }[]): void {
  for (const { status, code, ms } of refusals) {
    expect({ status, code }).toEqual({ status: 503, code: 'unavailable' })
    expect(ms).toBeLessThan(within(2_000))
  }
}

/** Nothing is mined until the result is called; from then on a block every second. */
export async function haltMining({ chain }: Rail): Promise<() => Promise<void>> {
  await chain.setIntervalMining({ interval: 0 })
  return () => chain.setIntervalMining({ interval: 1 })
}

/** Repeats a call as an agent does, until it has a final answer: after a broken connection, a retryable refusal, and a 202. */
export async function insist<Body>(
  call: () => Promise<Answer<Body>>,
  withinMs = 300_000,
): Promise<Answer<Body>> {
  const until = Date.now() + withinMs
  // Many callers that repeat at once would keep this process too busy to pass on what the chain answers.
  for (let wait = 200; ; wait = Math.min(2 * wait, 1_600)) {
    const answer = await call().catch((error: unknown) => {
      const again =
        error instanceof ProblemError ? error.problem.retryable : error instanceof TypeError
      if (!again || Date.now() > until) throw error
      return undefined
    })
    if (answer !== undefined && (answer.status !== 202 || Date.now() > until)) return answer
    await pause(wait)
  }
}

/** The refusal of a call, and after how many milliseconds it came. */
export async function refusalOf(call: Promise<unknown>) {
  const begun = performance.now()
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  const ms = performance.now() - begun
  if (!('error' in outcome) || !(outcome.error instanceof ProblemError))
    throw new Error(
      `not refused: ${JSON.stringify('error' in outcome ? String(outcome.error) : outcome.value)}`,
    )
  return { ms, ...outcome.error.problem }
}

/** Resolves when a node has taken the transaction that serves this payout. */
export async function broadcast({ db }: Rail, payoutId: string): Promise<void> {
  const rows = () =>
    db
      .selectFrom('gas_wallet_transactions')
      .select('broadcast_at')
      .where('purpose', '=', `payout:${payoutId}`)
      .execute()
  const found = await eventually(
    rows,
    (all) => all.some((row) => row.broadcast_at !== null),
    20_000,
    20,
  )
  expect(found.some((row) => row.broadcast_at !== null)).toBe(true)
}

const logsAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
])

/** The chain's own record of a payout: uses of its nonce, transfers to its recipient, and what the recipient holds. */
export async function chainRecord(
  { chain, asset, balance }: Rail,
  { payout_wallet, recipient, transfer }: Payout,
) {
  const range = { address: asset, fromBlock: 0n, toBlock: 'latest', strict: true } as const
  const [Transfer, AuthorizationUsed] = logsAbi
  const [uses, transfers, held] = await Promise.all([
    chain.getLogs({
      ...range,
      event: AuthorizationUsed,
      args: { authorizer: payout_wallet as Address, nonce: transfer.authorization_nonce as Hex },
    }),
    chain.getLogs({
      ...range,
      event: Transfer,
      args: { from: payout_wallet as Address, to: recipient as Address },
    }),
    balance(recipient),
  ])
  return {
    uses: uses.length,
    transfers: transfers.map((log) => log.args.value),
    held,
    hash: transfers[0]?.transactionHash,
  }
}

/**
 * Executed exactly once by the chain's logs, and the answer's receipts are one unbroken chain that names the transaction; after
 * a reorg the execution's receipt still names the one it was `firstSeenIn`.
 */
export async function expectExecutedOnce(
  rail: Rail,
  { payout, receipts }: PayoutAnswer,
  firstSeenIn = payout.transfer.transaction_hash,
): Promise<void> {
  expect(payout).toMatchObject({ state: 'executed', money_moved: 'yes' })
  const amount = BigInt(payout.amount_atomic)
  const record = await chainRecord(rail, payout)
  expect(record).toEqual({
    uses: 1,
    transfers: [amount],
    held: amount,
    hash: payout.transfer.transaction_hash,
  })
  const claims = receipts.map(claimsOf)
  expect(claims.slice(0, 3).map(({ kind }) => kind)).toEqual([
    'payout_created',
    'payout_authorized',
    'payout_executed',
  ])
  expect(claims.map(({ prev }) => prev)).toEqual([
    null,
    ...receipts.slice(0, -1).map((jws) => sha256Hex(jws)),
  ])
  expect(claims[2]?.['transaction_hash']).toBe(firstSeenIn)
}

/** The payload of a compact JWS. */
export function claimsOf(jws: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jws.split('.')[1] as string, 'base64url').toString('utf8'))
}

/** Does something while a part is stopped; the part continues whatever the result. */
export async function whileFrozen<T>(part: Part, act: () => Promise<T>): Promise<T> {
  const thaw = freeze(part)
  return act().finally(thaw)
}
