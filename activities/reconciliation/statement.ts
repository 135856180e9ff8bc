import { sha256Hex } from '#domain/core/canonical-json.ts'
import { limits, NETWORK } from '#domain/core/limits.ts'
import {
  boundsOf,
  listed,
  nextStatementDay,
  type StatementClaims,
  type WalletDay,
} from '#domain/receipts/statement.ts'
import { peakUse } from '#domain/reconciliation/reconciliation.ts'
import { NodeFaultError } from '../chain/chain-fault.ts'
import { type LedgerBlock, sumOf } from '../chain/ledger.ts'
import { clockSeconds, transaction } from '../store/postgres/db.ts'
import {
  countsOf,
  feesOf,
  findStatement,
  firstDay,
  insertStatement,
  listSpent,
  payoutsAt,
  transfersOf,
} from '../store/reconciliation/statements.ts'
import { listOpenExceptions } from '../store/tasks/exceptions.ts'
import type { ReconciliationDeps } from './deps.ts'

/** How many open exceptions a statement names; it counts them all. */
const NAMED_MAX = 100

/** Signs the statement of the next day that is final on chain, one for each day however often it runs; null when none is due. */
export async function makeStatement(deps: ReconciliationDeps): Promise<string | null> {
  const last = await findStatement(deps.db)
  const { time: finalizedTime } = await deps.ledger.block('finalized')
  const first = last === undefined ? await firstDay(deps.db) : null
  const day = nextStatementDay(last?.day ?? null, first, finalizedTime)
  if (day === null) return null
  const claims = await claimsOf(deps, day, last?.sha256 ?? null)
  await transaction(deps.db, async (tx) => {
    const sign = await deps.signStatement(tx)
    const { jws, kid } = await sign({ ...claims, iat: Math.floor(await clockSeconds(tx)) })
    await insertStatement(tx, { day, jws, kid, sha256: sha256Hex(jws), prev: claims.prev })
  })
  return day
}

async function claimsOf(
  deps: ReconciliationDeps,
  day: string,
  prev: string | null,
): Promise<Omit<StatementClaims, 'iat'>> {
  const { db, rail, ledger } = deps
  const { begin, end } = boundsOf(day)
  const [opening, closing] = [
    await ledger.lastBlockBefore(begin),
    await ledger.lastBlockBefore(end),
  ]
  const span = {
    after: opening?.number.toString() ?? null,
    through: closing?.number.toString() ?? null,
  }
  const transfers = listed(await transfersOf(db, span))
  const spent = await listSpent(db, rail.payoutWallet, begin - limits.dailyWindowSeconds)
  const counts = await countsOf(db, { begin, end })
  const open = await listOpenExceptions(db, NAMED_MAX)
  const [payoutWallet, payToWallet] = await walletDays(deps, opening, closing)
  const named = (block: LedgerBlock | undefined) =>
    block === undefined ? null : { number: block.number.toString(), hash: block.hash }
  return {
    iss: rail.issuer,
    sub: `statement:${day}`,
    environment: rail.environment,
    prev,
    day,
    network: NETWORK,
    asset: rail.asset,
    blocks: { opening: named(opening), closing: named(closing) },
    payout_wallet: payoutWallet,
    pay_to: payToWallet,
    payouts: await payoutsAt(db, end),
    transfers,
    fees: listed(await feesOf(db, span)),
    calls: { free: counts.free, credits_outstanding: counts.credits },
    cap: {
      limit_atomic: limits.dailyCapAtomic.toString(),
      used_atomic: transfers.sum_atomic,
      peak_atomic: peakUse(
        spent.filter(({ blockTime }) => blockTime < end),
        limits.dailyWindowSeconds,
        begin,
      ).atomic.toString(),
    },
    differences: {
      opened: counts.opened,
      open: open.map(({ exception_id, code, subject }) => ({ exception_id, code, subject })),
      open_count: counts.open,
    },
    reconciliations: counts.reconciliations,
  }
}

/** The balances of the two wallets at both ends of the day and the transfers between, from the logs of the token. */
async function walletDays(
  { ledger, rail, payTo }: ReconciliationDeps,
  opening: LedgerBlock | undefined,
  closing: LedgerBlock | undefined,
): Promise<[WalletDay, WalletDay]> {
  const wallets = [rail.payoutWallet, payTo] as const
  if (closing === undefined) return [noDay(wallets[0]), noDay(wallets[1])]
  const blocks = { from: opening === undefined ? 0n : opening.number + 1n, to: closing.number }
  const received = await ledger.transfers(wallets, 'in', blocks)
  const sent = await ledger.transfers(wallets, 'out', blocks)
  const day = async (address: `0x${string}`): Promise<WalletDay> => {
    const held = await ledger.balanceAfter(address, closing.number)
    const gained = sumOf(received.filter(({ to }) => to === address))
    const spent = sumOf(sent.filter(({ from }) => from === address))
    const before = opening && (await ledger.balanceAt(address, opening.number))
    if (before !== undefined && before + gained - spent !== held)
      throw new NodeFaultError(`the logs of ${address} do not add up to its balances`)
    return {
      address,
      opening_atomic: (held - gained + spent).toString(),
      in_atomic: gained.toString(),
      out_atomic: spent.toString(),
      closing_atomic: held.toString(),
    }
  }
  return [await day(wallets[0]), await day(wallets[1])]
}

const noDay = (address: `0x${string}`): WalletDay => ({
  address,
  opening_atomic: '0',
  in_atomic: '0',
  out_atomic: '0',
  closing_atomic: '0',
})
