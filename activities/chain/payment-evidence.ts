import {
  type Address,
  formatLog,
  type Hex,
  type Log,
  numberToHex,
  pad,
  type RpcLog,
  toEventSelector,
} from 'viem'
import type { LoggedTransfer } from '#domain/reconciliation/findings.ts'
import { examinedBlocks } from '#domain/trust/scorecard.ts'
import { NodeFaultError } from './chain-fault.ts'
import type { Chain, ChainReader, ChainView } from './client.ts'
import { openLedger, pairUp } from './ledger.ts'
import { LOG_RANGE } from './log-ranges.ts'
import { isUsedAt } from './outcome.ts'
import { tokenEvents } from './token.ts'

/** A payment as a caller claims it; addresses and hashes in lower case. */
export type ClaimedPayment = {
  readonly transactionHash: string
  readonly payer: string
  readonly payee: string
  readonly amountAtomic: string
  readonly nonce: string
}
/** Where the chain has the payment, and what the logs after it show; or why it proves none. */
export type PaymentEvidence =
  | {
      readonly proven: true
      readonly transfer: LoggedTransfer
      /** Unix seconds. */
      readonly at: number
      readonly examined: readonly LoggedTransfer[]
    }
  | { readonly proven: false; readonly reason: UnprovenReason }
type UnprovenReason =
  /** The payment was never made: its authorization is unused. */
  | 'authorization_unused'
  /** The nodes have no receipt of the transaction, which proves nothing: they may have one later. */
  | 'receipt_not_found'
  | 'transfer_not_in_transaction'
  | 'not_confirmed'
  | 'second_opinion_differs'

/** Reads the evidence of claimed payments from a chain; throws when it does not answer. */
export type ReadPaymentEvidence = (
  claimed: readonly ClaimedPayment[],
) => Promise<readonly PaymentEvidence[]>

export type EvidenceSettings = {
  readonly chain: Pick<Chain, 'views'>
  readonly asset: Address
  readonly confirmations: number
}

/**
 * Proves payments by `AuthorizationUsed` and the `Transfer` directly after it, in a canonical block that is deep enough. With a
 * second opinion configured, both must agree, also about the transfers that came after it.
 */
export function openPaymentEvidence({
  chain: { views },
  asset,
  confirmations,
}: EvidenceSettings): ReadPaymentEvidence {
  return async (claimed) => {
    const parties = [...new Set(claimed.flatMap(({ payer, payee }) => [payer, payee]))]
    const read = async (payment: ClaimedPayment): Promise<PaymentEvidence> => {
      const opinions = await Promise.all(
        views.map((view) => prove(view, { asset, confirmations }, payment)),
      )
      const [found] = opinions
      if (found === undefined || !found.proven)
        return found ?? { proven: false, reason: 'receipt_not_found' }
      const proven = opinions.filter((one) => one.proven)
      const isAgreed = (one: typeof found) => one.transfer.blockHash === found.transfer.blockHash
      if (proven.length < opinions.length || !proven.every(isAgreed))
        return { proven: false, reason: 'second_opinion_differs' }
      const fromBlock = BigInt(found.transfer.blockNumber)
      const toBlock = proven.map(({ head }) => head).reduce(min, fromBlock + examinedBlocks)
      const examined = await agreedTransfers(views, asset, { parties, fromBlock, toBlock })
      return { proven: true, transfer: found.transfer, at: found.at, examined }
    }
    return Promise.all(claimed.map(read))
  }
}

type Proven =
  | { proven: true; transfer: LoggedTransfer; at: number; head: bigint }
  | { proven: false; reason: UnprovenReason }

async function prove(
  view: ChainView,
  { asset, confirmations }: Pick<EvidenceSettings, 'asset' | 'confirmations'>,
  { transactionHash, payer, payee, amountAtomic, nonce }: ClaimedPayment,
): Promise<Proven> {
  const { head } = await view.heights()
  const found = await openLedger(view, asset).transaction(transactionHash)
  if (found === null) {
    const authorization = { asset, from: payer as Address, nonce: nonce as Hex }
    const isUsed = await isUsedAt(view.reader, authorization, head.number)
    return { proven: false, reason: isUsed ? 'receipt_not_found' : 'authorization_unused' }
  }
  const transfer = found.transfers.find(
    (logged) =>
      logged.nonce?.toLowerCase() === nonce &&
      logged.from === payer &&
      logged.to === payee &&
      logged.amountAtomic === amountAtomic,
  )
  if (transfer === undefined) return { proven: false, reason: 'transfer_not_in_transaction' }
  const depth = head.number - BigInt(transfer.blockNumber) + 1n
  if (depth < BigInt(confirmations)) return { proven: false, reason: 'not_confirmed' }
  return { proven: true, transfer, at: found.blockTime, head: head.number }
}

type Among = { parties: readonly string[]; fromBlock: bigint; toBlock: bigint }

/** The transfers that all views show; throws where one shows others, because a missing log proves nothing. */
async function agreedTransfers(
  views: Chain['views'],
  asset: Address,
  among: Among,
): Promise<LoggedTransfer[]> {
  const [own = [], ...others] = await Promise.all(
    views.map(({ reader }) => transfersAmong(reader, asset, among)),
  )
  const text = JSON.stringify(own)
  if (others.some((other) => JSON.stringify(other) !== text))
    throw new NodeFaultError('the second opinion shows other transfers')
  return own
}

/** The transfers from one of the parties to one of them, in these blocks, both included. */
async function transfersAmong(
  reader: ChainReader,
  asset: Address,
  { parties, fromBlock, toBlock }: Among,
): Promise<LoggedTransfer[]> {
  const padded = parties.map((party) => pad(party as Hex))
  const ranges: { from: bigint; to: bigint }[] = []
  for (let from = fromBlock; from <= toBlock; from += LOG_RANGE)
    ranges.push({ from, to: min(from + LOG_RANGE - 1n, toBlock) })
  const logs = await Promise.all(
    ranges.map(({ from, to }) => {
      const filter = {
        address: asset,
        topics: [transferTopic, padded, padded],
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
      }
      return reader.request({ method: 'eth_getLogs', params: [filter as never] })
    }),
  )
  return pairUp(logs.flat().map((log: RpcLog) => formatLog(log) as Log<bigint, number, false>))
}

const transferTopic = toEventSelector(
  tokenEvents.find(({ name }) => name === 'Transfer') ?? tokenEvents[0],
)
const min = (one: bigint, other: bigint): bigint => (one < other ? one : other)
