import { digestOf } from '../core/canonical-json.ts'

/** `typ` of a daily statement; the receipt ring signs it. */
export const STATEMENT_TYP = 'statement+jwt'

export type CountAndSum = { count: number; sum_atomic: string }
/** `sha256` is that of the canonical JSON of `[[id, transaction hash, amount_atomic], …]` in the order of block and id. */
export type Listed = CountAndSum & { sha256: string }
type BlockName = { number: string; hash: string } | null
/** `closing = opening + in - out`, from the logs between the two named blocks. */
export type WalletDay = {
  address: string
  opening_atomic: string
  in_atomic: string
  out_atomic: string
  closing_atomic: string
}

/** The claims of a statement (docs/operations.md, Reconciliation); sums in atomic units of the asset, `sub` and `day` in UTC. */
export type StatementClaims = {
  iss: string
  iat: number
  sub: string
  environment: string
  prev: string | null
  day: string
  network: string
  asset: string
  blocks: { opening: BlockName; closing: BlockName }
  payout_wallet: WalletDay
  pay_to: WalletDay
  /** All payouts by the state in which the day ended. */
  payouts: Record<'created' | 'authorized' | 'executed' | 'dead', CountAndSum>
  /** Transfers and fees in blocks of the day. */
  transfers: Listed
  fees: Listed
  calls: { free: number; credits_outstanding: number }
  cap: { limit_atomic: string; used_atomic: string; peak_atomic: string }
  differences: {
    opened: Record<string, number>
    open: { exception_id: string; code: string; subject: string }[]
    open_count: number
  }
  reconciliations: number
}

/** One entry of a list that a statement sums up. */
export type Entry = { id: string; transactionHash: string | null; amountAtomic: string }

export function listed(entries: readonly Entry[]): Listed {
  const sum = entries.reduce((total, { amountAtomic }) => total + BigInt(amountAtomic), 0n)
  const list = entries.map(({ id, transactionHash, amountAtomic }) => [
    id,
    transactionHash,
    amountAtomic,
  ])
  return { count: entries.length, sum_atomic: sum.toString(), sha256: digestOf(list) }
}

const DAY_SECONDS = 24 * 3600

/** `2026-11-21` of a Unix time. */
export const dayOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 10)

/** The Unix seconds at which a day begins and at which the next one does. */
export function boundsOf(day: string): { begin: number; end: number } {
  const begin = Date.parse(`${day}T00:00:00Z`) / 1000
  return { begin, end: begin + DAY_SECONDS }
}

/** The day after the last statement, or the first day of all, once the whole of it is final on chain. */
export function nextStatementDay(
  last: string | null,
  first: string | null,
  finalizedTime: number,
): string | null {
  const next = last === null ? first : dayOf(boundsOf(last).end)
  return next !== null && boundsOf(next).end <= finalizedTime ? next : null
}
