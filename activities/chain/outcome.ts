import {
  type Address,
  formatLog,
  type Hex,
  type Log,
  numberToHex,
  pad,
  parseEventLogs,
  type TransactionReceipt,
  toEventSelector,
} from 'viem'
import type { TokenAuthorization } from './authorization.ts'
import type { BlockMark, Chain, ChainReader, ChainView } from './client.ts'
import { tokenAbi, tokenEvents } from './token.ts'

/**
 * What to look for: an authorization of `asset` with its exact terms, from a block before it was first sent; times in Unix
 * seconds. `seenIn` is the block in which it was found before: while that is canonical and not final, there is nothing new.
 */
export type OutcomeTerms = {
  readonly asset: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly nonce: Hex
  readonly validBefore: bigint
  readonly fromBlock: bigint
  readonly seenIn?: SeenIn | undefined
  /** The stored hash of the transaction that was sent; its receipt is read before the logs. */
  readonly transactionHash?: Hex | undefined
}

/** The block that contained the event at the last search. */
type SeenIn = { readonly number: bigint; readonly hash: string }

export type Included = {
  kind: 'included'
  transactionHash: Hex
  blockNumber: bigint
  blockHash: Hex
  /** Unix seconds. */
  blockTime: bigint
  /** Blocks on top, the including one counted. */
  confirmations: number
  finalized: boolean
}

/** Why nothing is proven: no node answered, the nonce is unused so far, or the answers are not final or contradict each other. */
type UnknownCode = 'unreachable' | 'unused' | 'open'

/** It can never move money: `finalizedBlock` was final on every node that was asked, and no block after it can take the authorization. */
type Dead = { kind: 'dead'; reason: 'expired' | 'canceled'; finalizedBlock: BlockMark }

/** The nonce was used without our transfer, for good once the block is `finalized`; `finalizedBlock` was the newest final one then. */
type Conflict = {
  kind: 'conflict'
  detail: string
  transactionHash: Hex
  finalized: boolean
  finalizedBlock: BlockMark
}

/**
 * What the chain proves about an authorization. `unknown` proves nothing; only with the code `unused` did every node answer that
 * the nonce is unused, so that a transfer seen before has vanished.
 */
export type Outcome =
  | { kind: 'unknown'; code: UnknownCode; reason: string }
  | Included
  | Dead
  | Conflict

/** What is known of an authorization before its outcome is looked for. */
export type Sought = Pick<OutcomeTerms, 'fromBlock' | 'seenIn' | 'transactionHash'>

/** Finds the outcome of an authorization, searching from a block before it was first sent. */
export type FindOutcome = (authorization: TokenAuthorization, sought: Sought) => Promise<Outcome>

/** Where the outcome of a stored transfer or payment is looked for. */
export const soughtOf = (row: {
  readonly from_block: string | null
  readonly transaction_hash: string | null
}): Sought => ({
  fromBlock: BigInt(row.from_block ?? '0'),
  transactionHash: (row.transaction_hash ?? undefined) as Hex | undefined,
})

/** Blocks in one eth_getLogs request; public nodes refuse much longer ranges. */
export const LOG_RANGE = 2_000n
/** A search starts this many blocks before the head. A reorg is never this deep, so it cannot move an event before the start. */
const REORG_MARGIN = LOG_RANGE

/** The first block to search for an authorization that is first seen at this head. */
export const searchFrom = (head: bigint): bigint => (head > REORG_MARGIN ? head - REORG_MARGIN : 0n)

/** The most blocks to search, about three weeks on Base. */
const LOG_BLOCKS_MAX = 1_000_000n

const spendEvents = tokenEvents.filter((event) => event.name !== 'Transfer')
const spendTopics = spendEvents.map((event) => toEventSelector(event))

const unknown = (reason: string, code: UnknownCode = 'open'): Outcome => ({
  kind: 'unknown',
  code,
  reason,
})

/**
 * Finds the outcome of an authorization in the logs, regardless of its sender. With a second opinion configured,
 * both must agree. Faults and stale nodes give `unknown`; never throws for the chain.
 */
export async function findOutcome(
  chain: Chain,
  terms: OutcomeTerms,
  { confirmations }: { confirmations: number },
): Promise<Outcome> {
  const [own, second] = chain.views
  const first = await readFrom(own, terms, confirmations)
  if (second === undefined || (first.kind === 'unknown' && first.code !== 'unused')) return first
  return agreed(first, await readFrom(second, terms, confirmations))
}

function agreed(first: Outcome, second: Outcome): Outcome {
  if (second.kind === 'unknown' && second.code !== 'unused')
    return unknown(`second opinion: ${second.reason}`, second.code)
  if (
    first.kind === 'included' &&
    second.kind === 'included' &&
    first.blockHash === second.blockHash &&
    first.transactionHash === second.transactionHash
  ) {
    return {
      ...first,
      confirmations: Math.min(first.confirmations, second.confirmations),
      finalized: first.finalized && second.finalized,
    }
  }
  if (first.kind === 'dead' && second.kind === 'dead' && first.reason === second.reason)
    return { ...first, finalizedBlock: lower(first.finalizedBlock, second.finalizedBlock) }
  if (first.kind === 'conflict' && second.kind === 'conflict')
    return {
      ...first,
      finalized: first.finalized && second.finalized,
      finalizedBlock: lower(first.finalizedBlock, second.finalizedBlock),
    }
  if (first.kind === 'unknown' && second.kind === 'unknown') return first
  return unknown(`the second opinion says ${second.kind}, the first ${first.kind}`)
}

const lower = (one: BlockMark, other: BlockMark): BlockMark =>
  other.number < one.number ? other : one

const markOf = ({ number, hash, timestamp }: BlockMark): BlockMark => ({ number, hash, timestamp })

async function readFrom(
  { reader, heights }: ChainView,
  terms: OutcomeTerms,
  depth: number,
): Promise<Outcome> {
  try {
    const { head, finalized } = await heights()
    if (head.number < finalized.number) return unknown('the nodes disagree about the head')
    const { seenIn } = terms
    if (
      seenIn !== undefined &&
      seenIn.number > finalized.number &&
      (await isCanonical(reader, seenIn, head.number))
    )
      return unknown('it is included in a block that is not final')
    // Read at the head's number: a used nonce stays used, so unused there is unused in every block below it.
    const used = await reader.readContract({
      address: terms.asset,
      abi: tokenAbi,
      functionName: 'authorizationState',
      args: [terms.from, terms.nonce],
      blockNumber: head.number,
    })
    if (!used) {
      // Later blocks are no earlier than the finalized one, so none of them can still take the authorization.
      return finalized.timestamp >= terms.validBefore
        ? { kind: 'dead', reason: 'expired', finalizedBlock: markOf(finalized) }
        : unknown('the authorization is unused so far', 'unused')
    }
    return await check(reader, terms, depth, { head: head.number, finalized })
  } catch (error) {
    const fault = error instanceof Error && 'shortMessage' in error ? error.shortMessage : 'fault'
    return unknown(`the chain does not answer: ${fault}`, 'unreachable')
  }
}

/** Whether a block is still canonical; its hash represents everything found in it. Concurrent calls share the request. */
async function isCanonical(
  reader: ChainReader,
  { number, hash }: SeenIn,
  head: bigint,
): Promise<boolean> {
  return number <= head && (await reader.getBlock({ blockNumber: number })).hash === hash
}

async function check(
  reader: ChainReader,
  terms: OutcomeTerms,
  depth: number,
  heights: { head: bigint; finalized: BlockMark },
): Promise<Outcome> {
  const event = await findEvent(reader, terms, heights.head)
  if (event === undefined) return unknown('the nonce is used and its event is not in the logs yet')
  const [receipt, block] = await Promise.all([
    reader.getTransactionReceipt({ hash: event.transactionHash }),
    reader.getBlock({ blockNumber: event.blockNumber }),
  ])
  if (block.hash !== event.blockHash || receipt.blockHash !== event.blockHash)
    return unknown('the block of the event is not canonical')
  if (receipt.status !== 'success') return unknown('the receipt contradicts the logs')
  const confirmations = Number(heights.head - event.blockNumber) + 1
  const finalized = event.blockNumber <= heights.finalized.number
  const finalizedBlock = markOf(heights.finalized)
  if (event.eventName === 'AuthorizationCanceled')
    return finalized
      ? { kind: 'dead', reason: 'canceled', finalizedBlock }
      : unknown('it was canceled in a block that is not final')
  if (confirmations < depth) return unknown(`${confirmations} of ${depth} confirmations`)
  const { transactionHash, blockNumber, blockHash } = event
  if (!holdsTransfer(receipt, terms))
    return {
      kind: 'conflict',
      detail: 'the nonce was used without the exact transfer',
      transactionHash,
      finalized,
      finalizedBlock,
    }
  return {
    kind: 'included',
    transactionHash,
    blockNumber,
    blockHash,
    blockTime: block.timestamp,
    confirmations,
    finalized,
  }
}

/** The one event that spent the nonce, newest blocks first. */
async function findEvent(
  reader: ChainReader,
  { asset, from, nonce, fromBlock }: OutcomeTerms,
  head: bigint,
) {
  const first = head - fromBlock > LOG_BLOCKS_MAX ? head - LOG_BLOCKS_MAX : fromBlock
  for (let to = head; to >= first; to -= LOG_RANGE) {
    const start = to - LOG_RANGE + 1n > first ? to - LOG_RANGE + 1n : first
    const filter = {
      address: asset,
      topics: [spendTopics, pad(from), nonce],
      fromBlock: numberToHex(start),
      toBlock: numberToHex(to),
    }
    const logs = await reader.request({ method: 'eth_getLogs', params: [filter] })
    const [found] = parseEventLogs({
      abi: spendEvents,
      logs: logs.map((log) => formatLog(log) as Log<bigint, number, false>),
      strict: true,
    })
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Whether the exact transfer directly follows the use of the nonce. Another place in the receipt proves nothing: a batch can spend this
 * nonce on other terms and pay us with a second authorization that is then counted twice.
 */
function holdsTransfer(
  receipt: TransactionReceipt,
  { asset, from, to, value, nonce }: OutcomeTerms,
): boolean {
  const logs = parseEventLogs({
    abi: tokenEvents,
    logs: receipt.logs.filter((log) => log.address.toLowerCase() === asset),
    strict: true,
  })
  const used = logs.find(
    (log) =>
      log.eventName === 'AuthorizationUsed' &&
      log.args.nonce === nonce &&
      log.args.authorizer.toLowerCase() === from,
  )
  if (used === undefined) return false
  return logs.some(
    (log) =>
      log.eventName === 'Transfer' &&
      log.logIndex === used.logIndex + 1 &&
      log.args.from.toLowerCase() === from &&
      log.args.to.toLowerCase() === to &&
      log.args.value === value,
  )
}
