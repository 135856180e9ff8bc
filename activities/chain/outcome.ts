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
import { nodeErrorText } from './chain-fault.ts'
import type { BlockMark, Chain, ChainReader, ChainView } from './client.ts'
import { LOG_RANGE } from './log-ranges.ts'
import { findReceipt } from './receipt.ts'
import { tokenAbi, tokenEvents } from './token.ts'

/**
 * What to look for: an authorization of `asset` with its exact terms, from a block before it was first sent; times in Unix
 * seconds. `seenIn` is the block in which it was found before: while that is canonical and not final, there is nothing new,
 * and a chain that is shorter proves nothing.
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

/** A search starts this many blocks before the head. A reorg is never this deep, so it cannot move an event before the start. */
const REORG_MARGIN = LOG_RANGE

/** The first block to search for an authorization that is first seen at this head. */
export const searchFrom = (head: bigint): bigint => (head > REORG_MARGIN ? head - REORG_MARGIN : 0n)

/** The most blocks to search, about three weeks on Base. */
const LOG_BLOCKS_MAX = 1_000_000n

/** The requests for logs that a search makes before it looks for a smaller range. */
const RANGES_MAX = 4n

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

async function readFrom(view: ChainView, terms: OutcomeTerms, depth: number): Promise<Outcome> {
  const { reader } = view
  try {
    const { head, finalized } = await view.heights()
    if (head.number < finalized.number) return unknown('the nodes disagree about the head')
    const { seenIn } = terms
    if (seenIn !== undefined && seenIn.number > head.number)
      return unknown('the nodes are behind the block in which it was seen')
    if (
      seenIn !== undefined &&
      seenIn.number > finalized.number &&
      (await isCanonical(reader, seenIn, head.number))
    )
      return unknown('it is included in a block that is not final')
    // Read at the head's number: a used nonce stays used, so unused there is unused in every block below it.
    if (await isUsedAt(reader, terms, head.number))
      return await check(view, terms, depth, { head: head.number, finalized })
    if (finalized.timestamp < terms.validBefore)
      return unknown('the authorization is unused so far', 'unused')
    // Later blocks are no earlier than the finalized one, so none of them can still take the authorization. The nodes must still
    // have that block: an exchanged or lagging node would not.
    if (!(await isCanonical(reader, finalized, head.number)))
      return unknown('the nodes disagree about the finalized block')
    return { kind: 'dead', reason: 'expired', finalizedBlock: markOf(finalized) }
  } catch (error) {
    return unknown(`the chain does not answer: ${nodeErrorText(error)}`, 'unreachable')
  }
}

/** Whether an authorization is used up at a block; once used, it stays so. */
export const isUsedAt = (
  reader: ChainReader,
  { asset, from, nonce }: Pick<OutcomeTerms, 'asset' | 'from' | 'nonce'>,
  blockNumber: bigint,
): Promise<boolean> =>
  reader.readContract({
    address: asset,
    abi: tokenAbi,
    functionName: 'authorizationState',
    args: [from, nonce],
    blockNumber,
  })

/** Whether a block is still canonical; its hash represents everything found in it. Concurrent calls share the request. */
async function isCanonical(
  reader: ChainReader,
  { number, hash }: SeenIn,
  head: bigint,
): Promise<boolean> {
  return number <= head && (await reader.getBlock({ blockNumber: number })).hash === hash
}

async function check(
  view: ChainView,
  terms: OutcomeTerms,
  depth: number,
  heights: { head: bigint; finalized: BlockMark },
): Promise<Outcome> {
  const { reader } = view
  const own = await ownReceipt(reader, terms)
  const event = own
    ? { ...own, eventName: 'AuthorizationUsed' }
    : await findEvent(view, terms, heights.head)
  if (event === undefined) return unknown('the nonce is used and its event is not in the logs yet')
  const [receipt, block] = await Promise.all([
    own ?? findReceipt(reader, event.transactionHash),
    reader.getBlock({ blockNumber: event.blockNumber }),
  ])
  if (receipt === undefined) return unknown('the node has no receipt of the transaction yet')
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

/** The receipt of the stored hash, if it holds the exact transfer. Another sender may have been first, so without it the logs are searched. */
async function ownReceipt(
  reader: ChainReader,
  terms: OutcomeTerms,
): Promise<TransactionReceipt | undefined> {
  if (terms.transactionHash === undefined) return undefined
  const receipt = await findReceipt(reader, terms.transactionHash)
  return receipt !== undefined && holdsTransfer(receipt, terms) ? receipt : undefined
}

/** The one event that spent the nonce, newest blocks first. */
async function findEvent(view: ChainView, terms: OutcomeTerms, head: bigint) {
  const { asset, from, nonce, fromBlock } = terms
  const first = head - fromBlock > LOG_BLOCKS_MAX ? head - LOG_BLOCKS_MAX : fromBlock
  const range = await narrowed(view, terms, { from: first, to: head })
  let to = range.to
  while (to >= range.from) {
    const least = to - view.logRange() + 1n
    const start = least > range.from ? least : range.from
    const filter = {
      address: asset,
      topics: [spendTopics, pad(from), nonce],
      fromBlock: numberToHex(start),
      toBlock: numberToHex(to),
    }
    const logs = await view.reader.request({ method: 'eth_getLogs', params: [filter] })
    const [found] = parseEventLogs({
      abi: spendEvents,
      logs: logs.map((log) => formatLog(log) as Log<bigint, number, false>),
      strict: true,
    })
    if (found !== undefined) return found
    to = start - 1n
  }
  return undefined
}

type Blocks = { readonly from: bigint; readonly to: bigint }

/** Where the logs of a range would take many requests: the end of it in which the state of the nonce changed, as far as the node keeps old states. */
async function narrowed(
  view: ChainView,
  terms: OutcomeTerms,
  { from, to }: Blocks,
): Promise<Blocks> {
  let [low, high, kept] = [from, to, from]
  while (high - kept + 1n > RANGES_MAX * view.logRange()) {
    const middle = (kept + high) / 2n
    const used = await isUsedAt(view.reader, terms, middle).catch(() => undefined)
    if (used === true) high = middle
    else kept = middle + 1n
    if (used === false) low = kept
  }
  return { from: low, to: high }
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
