/** A transfer of the asset that was seen in the examined logs. */
export type SeenTransfer = {
  id: string
  from: string
  to: string
  amountAtomic: string
  blockNumber: string
  logIndex: number
}

/** A payment that the chain proves, and what the logs after it show. */
export type ProvenPayment = {
  id: string
  payee: string
  amountAtomic: string
  blockNumber: string
  logIndex: number
  /** Unix seconds of its block. */
  at: number
  examined: readonly SeenTransfer[]
}

/** The accounts that a wallet is bound to; a wallet without any is absent. */
export type BoundAccounts = ReadonlyMap<string, readonly string[]>

/** Whether two wallets are one, or bound to one account. */
export function isSameOwner(one: string, other: string, accounts: BoundAccounts): boolean {
  if (one === other) return true
  const others = accounts.get(other) ?? []
  return (accounts.get(one) ?? []).some((account) => others.includes(account))
}

/** Whether two payments went to one counterparty: one owner, or payees of which one paid the other in the logs examined for either. */
function isOneCounterparty(
  one: ProvenPayment,
  other: ProvenPayment,
  accounts: BoundAccounts,
): boolean {
  if (isSameOwner(one.payee, other.payee, accounts)) return true
  const pair = [one.payee, other.payee]
  return [...one.examined, ...other.examined].some(
    ({ from, to }) => from !== to && pair.includes(from) && pair.includes(to),
  )
}

/**
 * The most payments of which no two went to one counterparty. As a maximum over all selections it never falls when a payment is
 * added, even one that connects two payees: its caller could have left it out.
 */
export function countCounterparties(
  payments: readonly ProvenPayment[],
  accounts: BoundAccounts,
): number {
  const [first, ...rest] = payments
  if (first === undefined) return 0
  const apart = rest.filter((other) => !isOneCounterparty(first, other, accounts))
  return Math.max(countCounterparties(rest, accounts), 1 + countCounterparties(apart, accounts))
}
