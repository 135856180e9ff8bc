import { setTimeout as sleep } from 'node:timers/promises'
import {
  AbiDecodingZeroDataError,
  BaseError,
  type Chain as ChainFacts,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  fallback,
  type Hex,
  http,
  type PublicClient,
  type Transport,
} from 'viem'
import { refuse } from '#domain/core/errors.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { traced } from '../tracing/spans.ts'
import { keepFresh, readJointly } from './shared-reading.ts'

export type ChainReader = PublicClient<Transport, ChainFacts>

/** The fields of a block that confirmations need; `timestamp` is in Unix seconds. */
export type BlockMark = { readonly number: bigint; readonly hash: Hex; readonly timestamp: bigint }
type Heights = { readonly head: BlockMark; readonly finalized: BlockMark }

/** One view of the chain. Concurrent calls of `heights` share a reading that starts after them. */
export type ChainView = { readonly reader: ChainReader; heights(): Promise<Heights> }

/** The chain as the rail sees it: one view over the RPC urls, a second one where a second opinion is configured. */
export type Chain = {
  readonly reader: ChainReader
  readonly views: readonly [ChainView, ...ChainView[]]
  /** Waits until there are new blocks, or for four times `pollMs`; concurrent waits share the polling. */
  news(): Promise<void>
  /** Whether a node of the right chain answers in time, or answered within the last 200 ms. */
  isUp(): Promise<boolean>
  /** The newest block's number; throws 503 `unavailable`. */
  head(): Promise<bigint>
  /** The finalized block's time in Unix seconds; throws 503 `unavailable`. */
  finalizedTime(): Promise<bigint>
}

/**
 * `timeoutMs` limits one request over all urls, which are tried in order. `pollMs` (default 500) is the time between two polls
 * for new blocks.
 */
export type ChainSettings = {
  readonly rpcUrls: readonly string[]
  readonly confirmRpcUrls: readonly string[]
  readonly timeoutMs: number
  readonly pollMs?: number
}

const facts = defineChain({
  id: CHAIN_ID,
  name: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

/** After an answer, the chain counts as up for this time. After a failure, each call asks again. */
const UP_FOR_MS = 200

/** A chain without news is looked at all the same after so many polls: an answer may have been a stale node's. */
const POLLS_MAX = 4

/** Readers that connect when they are first used. */
export function createChain({
  rpcUrls,
  confirmRpcUrls,
  timeoutMs,
  pollMs = 500,
}: ChainSettings): Chain {
  const own = viewOf(createReader(rpcUrls, timeoutMs), pollMs)
  const { reader, news } = own
  const second =
    confirmRpcUrls.length === 0 ? [] : [viewOf(createReader(confirmRpcUrls, timeoutMs), pollMs)]
  let seenUp = Number.NEGATIVE_INFINITY
  return {
    reader,
    views: [own, ...second],
    news,
    isUp: async () => {
      if (performance.now() - seenUp < UP_FOR_MS) return true
      const up = await reader.getChainId().then(
        (id) => id === CHAIN_ID,
        () => false,
      )
      if (up) seenUp = performance.now()
      return up
    },
    head: () => reader.getBlockNumber({ cacheTime: 0 }).catch(refuseDown),
    finalizedTime: () =>
      reader.getBlock({ blockTag: 'finalized' }).then((block) => block.timestamp, refuseDown),
  }
}

function viewOf(reader: ChainReader, pollMs: number): ChainView & Pick<Chain, 'news'> {
  let seen: Heights | undefined
  const heights = readJointly(async () => {
    const [head, finalized] = await Promise.all([
      reader.getBlock(),
      reader.getBlock({ blockTag: 'finalized' }),
    ])
    seen = { head, finalized }
    return seen
  })
  const wait = async (): Promise<void> => {
    const before = seen
    for (let polls = 1; polls <= POLLS_MAX; polls++) {
      await sleep(pollMs)
      const now = await heights().catch(() => before)
      if (now?.head.hash !== before?.head.hash || now?.finalized.hash !== before?.finalized.hash)
        return
    }
  }
  return { reader, heights, news: keepFresh(wait, 0) }
}

function createReader(urls: readonly string[], timeoutMs: number): ChainReader {
  const timeout = Math.max(1, Math.floor(timeoutMs / urls.length))
  const transports = urls.map((url) => http(url, { timeout, retryCount: 0 }))
  return createPublicClient({
    chain: facts as ChainFacts,
    transport: tracedTransport(fallback(transports, { retryCount: 0 })),
    cacheTime: 0,
    pollingInterval: 250,
  })
}

/** A request is named by its method: its URL may hold an access key, and its parameters hold calls. */
function tracedTransport(transport: Transport): Transport {
  return (options) => {
    const opened = transport(options)
    const request: typeof opened.request = (args, how) => {
      const attributes = { 'rpc.system.name': 'jsonrpc', 'rpc.method': args.method }
      const facts = { name: `chain ${args.method}`, kind: 'client', attributes } as const
      return traced(facts, () => opened.request(args, how))
    }
    return { ...opened, request }
  }
}

function refuseDown(): never {
  throw refuse('unavailable', {
    detail: 'the chain does not answer',
    next_action: 'Repeat the call later.',
    retry_after_ms: 1000,
  })
}

/** Whether the node executed the call and the call reverted, which is a proven answer. */
export function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk(isRevertCause) !== null
}

/** Whether an error proves nothing about the chain: it is neither a revert nor an empty answer of an address without code. */
export function isChainFault(error: unknown): boolean {
  return (
    !isRevert(error) &&
    !(
      error instanceof BaseError &&
      error.walk((cause) => cause instanceof AbiDecodingZeroDataError) !== null
    )
  )
}

function isRevertCause(cause: unknown): boolean {
  if (cause instanceof ExecutionRevertedError) return true
  return cause instanceof Error && 'code' in cause && cause.code === ExecutionRevertedError.code
}
