import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Sold } from '#domain/credit/pricing.ts'
import type { Tier } from '#domain/rails/rail.ts'
import { createChain } from '../../../activities/chain/client.ts'
import { receiptSigner } from '../../../activities/container.ts'
import { decideReference } from '../../../activities/credit/decide-reference.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { issueQuote, openChallenge, openEntitlement } from '../../../activities/credit/quotes.ts'
import {
  openedAs,
  type PresentInput,
  presentReference,
} from '../../../activities/credit/references.ts'
import { presentTopUp } from '../../../activities/credit/top-ups.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { inProcessFacilitator } from '../../../activities/payments/facilitator.ts'
import { createOffers } from '../../../activities/payments/offers.ts'
import type { EntitlementRow } from '../../../activities/store/credit/entitlements.ts'
import type { ChallengeRow } from '../../../activities/store/payments/challenges.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { startDatabase } from '../../support/postgres.ts'
import { startFixture } from '../chain/fixture.ts'
import { anchors, holder, keys, origin, verifyWalletMessage } from '../keys/treasury.ts'

export const packetops: Sold = { key: 'packetops', prices: { entry: 49, standard: 99, pro: 249 } }
export const hex = (bytes: number) => randomBytes(bytes).toString('hex')
export const newAgent = () => `agt_${hex(16)}`
export const operator = 'operator:op_1'
export const payTo = `0x${'7'.repeat(40)}` as const

type World = Pick<MoneyDeps, 'db' | 'chain'> & {
  asset: `0x${string}`
  facilitator: Parameters<typeof inProcessFacilitator>[0]
}

async function depsOf({ db, chain, asset, facilitator }: World): Promise<MoneyDeps> {
  await publishKeys(db, keys)
  const times = { maxTimeoutSeconds: 600, minRemainingSeconds: 60 }
  return {
    db,
    chain,
    payTo,
    signReceipt: receiptSigner(keys),
    issuer: `${origin}/api/trust-contract`,
    environment: 'local',
    authority: {
      keys,
      anchors,
      origin,
      treasuryHolder: holder.address.toLowerCase(),
      treasuryPrincipal: '0x',
      verifyWalletMessage,
    },
    offers: await createOffers({
      baseUrl: origin,
      asset,
      payTo,
      facilitator: inProcessFacilitator(facilitator),
      ...times,
    }),
  }
}

/** Money over this database; its chain never answers. */
export function moneyOver(db: MoneyDeps['db']): Promise<MoneyDeps> {
  const chain = createChain({ rpcUrls: ['http://127.0.0.1:9'], confirmRpcUrls: [], timeoutMs: 200 })
  const asset = `0x${'5'.repeat(40)}` as const
  const facilitator = { reader: chain.reader, asset, gas: 200_000n, confirmationTimeoutMs: 500 }
  return depsOf({ db, chain, asset, facilitator })
}

/** Money over a real Postgres. */
export async function startMoney() {
  const { db, stop } = await startDatabase()
  const deps = await moneyOver(db)
  return { deps, stop }
}

/** Money over a real Postgres and a real chain. */
export async function startMoneyOnChain() {
  const fixture = await startFixture()
  const facilitator = {
    reader: fixture.chain.reader,
    asset: fixture.asset,
    gas: 200_000n,
    confirmationTimeoutMs: 1_500,
  }
  return {
    fixture,
    deps: await depsOf({ db: fixture.db, chain: fixture.chain, asset: fixture.asset, facilitator }),
    stop: fixture.stop,
  }
}

/** A quote with an open challenge that is bound to the agent's pending entitlement. */
export async function quoted(
  deps: MoneyDeps,
  agentId = newAgent(),
  {
    tier = 'standard',
    units = 1,
    rail = packetops,
  }: { tier?: Tier; units?: number; rail?: Sold } = {},
): Promise<{ agentId: string; challenge: ChallengeRow; entitlement: EntitlementRow }> {
  return transaction(deps.db, async (tx) => {
    const quote = await issueQuote(deps, tx, { by: { owner: agentId }, rail, tier, units })
    const entitlement = await openEntitlement(tx, quote, agentId)
    return { agentId, challenge: await openChallenge(tx, quote.quote_id), entitlement }
  })
}

export const present = (
  deps: MoneyDeps,
  { agentId, challenge }: { agentId: string; challenge: ChallengeRow },
  more: Partial<PresentInput> = {},
): Promise<ReferenceRow> =>
  presentReference(deps, {
    agentId,
    open: openedAs(challenge.challenge_id),
    method: 'invoice_reference',
    externalReference: `INV-${challenge.challenge_id.slice(3, 15)}`,
    ...more,
  })

export const decide = (deps: MoneyDeps, reference: ReferenceRow, approve = true) =>
  transaction(deps.db, (tx) =>
    decideReference(deps, tx, {
      referenceId: reference.payment_reference_id,
      approve,
      decidedBy: operator,
      note: 'seen on the account',
    }),
  )

/** An entitlement that an invoice paid for. */
export async function funded(deps: MoneyDeps, more: Parameters<typeof quoted>[2] = {}) {
  const one = await quoted(deps, newAgent(), more)
  const reference = await decide(deps, await present(deps, one))
  return { ...one, reference }
}

/** Puts money into a wallet by an approved invoice. */
export async function topUp(deps: MoneyDeps, agentId: string, walletId: string, amountUsd: number) {
  const invoice = { method: 'invoice_reference' as const, externalReference: `TOP-${hex(8)}` }
  return decide(deps, await presentTopUp(deps, { agentId, walletId, amountUsd, ...invoice }))
}

export const refusal = (code: string) => ({ refusal: { code } })

/** A granted call, as the pipeline hands it to an operation. */
export async function grantedCall(
  { db }: Pick<MoneyDeps, 'db'>,
  operation: string,
): Promise<string> {
  const call_id = `call_${hex(32)}`
  const row = {
    call_id,
    caller: operator,
    operation,
    key: hex(8),
    path: '/',
    fingerprint: 'f',
    funding: 'none' as const,
  }
  await db
    .insertInto('calls')
    .values({ ...row, grant_state: 'open', answer_state: 'open' })
    .execute()
  return call_id
}

/** Moves a challenge's end into the past, which the guards in SQL forbid. */
export const lapse = ({ db }: Pick<MoneyDeps, 'db'>, challengeId: string): Promise<void> =>
  transaction(db, async (tx) => {
    await sql`alter table payment_challenges disable trigger payment_challenges_guard`.execute(tx)
    await sql`update payment_challenges set expires_at = clock_timestamp() where challenge_id = ${challengeId}`.execute(
      tx,
    )
    await sql`alter table payment_challenges enable trigger payment_challenges_guard`.execute(tx)
  })
