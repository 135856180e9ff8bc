import type { Address } from 'viem'
import { createLimiter } from '../../../activities/store/calls/rate-limits.ts'
import { mintTokens } from '../../../worker/stack/token.ts'
import { PAYING_ADDRESS } from './caller.ts'
import type { ChaosStack } from './chaos-stack.ts'
import type { Director } from './director.ts'
import { identityOf, type RunIdentity } from './identity.ts'
import { runWire } from './run-faults.ts'
import type { RunRecord } from './run-record.ts'
import { type BatchPlan, describeRun, type RunPlan } from './schedule.ts'
import type { Tally } from './tally.ts'

const PAYER_TOKENS = 5_000_000n

/** Faults after which a payout may be paid, die or be held for an operator, as they come in time or not. */
const openEnds = new Set<RunPlan['fault']>(['expiry while pending', 'nonce spent on nothing'])

/** A run's plan, who it is, and what its caller saw so far. */
export type Participant = { plan: RunPlan; identity: RunIdentity; record: RunRecord }

/** Who plays in a batch, found by wallet and by payout. */
export class Participants {
  readonly #byCreator = new Map<string, Participant>()
  readonly #byPayout = new Map<string, Participant>()
  /** Whose settlements a facilitator has kept to itself. */
  readonly #kept = new Set<string>()

  add(participant: Participant): void {
    this.#byCreator.set(participant.identity.creator, participant)
    this.#byPayout.set(participant.identity.payoutId, participant)
  }

  get all(): Participant[] {
    return [...this.#byCreator.values()]
  }

  /** The run of this wallet or payout. */
  runOf(walletOrPayout: string): number | undefined {
    return (this.#byCreator.get(walletOrPayout) ?? this.#byPayout.get(walletOrPayout))?.plan.index
  }

  /** Whether a facilitator elsewhere keeps this settlement to itself: once for a payer whose fault that is. */
  timesOut(payer: string, tally: Tally): boolean {
    const fault = this.#byCreator.get(payer)?.plan.fault
    if (fault !== 'facilitator times out after settling' || this.#kept.has(payer)) return false
    this.#kept.add(payer)
    tally.count(fault)
    return true
  }
}

/** Makes a run's wallet, keys and record. */
export function enrol(
  seed: number,
  plan: RunPlan,
  { events, overCap }: Pick<BatchPlan, 'events' | 'overCap'>,
  asset: Address,
): Participant {
  const identity = identityOf(seed, plan.index, asset)
  const expects = plan.fault === 'authorization cancelled' ? 'dead' : 'executed'
  const record: RunRecord = {
    index: plan.index,
    seed,
    schedule: describeRun(plan, events),
    creator: identity.creator,
    payoutId: identity.payoutId,
    recipient: identity.recipient,
    amountAtomic: String(plan.amountAtomic),
    calls: [],
    expects: overCap || openEnds.has(plan.fault) ? 'either' : expects,
    ...(plan.pays ? { payer: identity.creator } : {}),
  }
  return { plan, identity, record }
}

const FREE_CALLS_PER_ADDRESS = 30
/** Callers differ by `X-Forwarded-For`, and each address has so many free calls. */
export const addressSettings = {
  TRUST_PROXY: 'loopback',
  FREE_GRANTS_PER_ADDRESS_PER_DAY: String(FREE_CALLS_PER_ADDRESS),
  LIMIT_WALLET_PER_MINUTE: '100000',
  LIMIT_NEW_WALLETS_PER_MINUTE: '100000',
  LIMIT_ADDRESS_PER_MINUTE: '1000000',
  LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '100000',
}

/** The address that payers share has no free call left. */
export async function useUpPayingAddress(pool: Parameters<typeof createLimiter>[0]): Promise<void> {
  const limiter = createLimiter(pool, 'free-address', FREE_CALLS_PER_ADDRESS, 24 * 3600)
  await limiter.take(PAYING_ADDRESS, FREE_CALLS_PER_ADDRESS)
}

/** Gives each payer the tokens for its fees. */
export async function fundPayers(
  { rail, asset }: Pick<ChaosStack, 'rail' | 'asset'>,
  participants: readonly Participant[],
): Promise<void> {
  for (const { plan, identity } of participants)
    if (plan.pays) await mintTokens(rail.chain, asset, identity.creator, PAYER_TOKENS)
}

/** Payers get tokens, faults their places. */
export async function arm(
  { rail, asset, commands, chainWire }: ChaosStack,
  participants: readonly Participant[],
  director: Director,
  tally: Tally,
): Promise<void> {
  await fundPayers({ rail, asset }, participants)
  for (const { plan, identity } of participants) {
    const { fault, activityFault } = plan
    if (activityFault !== null) director.arm(plan.index, activityFault)
    if (fault === null) continue
    const mark =
      fault === 'facilitator times out after settling' ? identity.creator : identity.nonce
    const wire = runWire(fault, { chain: rail.chain, commands, strikes: () => tally.count(fault) })
    // The treasury's word is not taken back when everything works again.
    chainWire.arm([mark], wire, fault === 'authorization cancelled')
  }
}
