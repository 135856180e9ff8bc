import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Chain as ChainFacts,
  createPublicClient,
  defineChain,
  type Hex,
  type PublicClient,
  type Transport,
} from 'viem'
import { refuse } from '#domain/core/errors.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { traced } from '../tracing/spans.ts'
import { ChainNode } from './chain-node.ts'
import { examineNodes, type NodeState, nodesTransport, putStaleLast } from './chain-nodes.ts'
import { LOG_RANGE } from './log-ranges.ts'
import { keepFresh, readJointly } from './shared-reading.ts'

export type ChainReader = PublicClient<Transport, ChainFacts>

/** The fields of a block that confirmations need; `timestamp` is in Unix seconds. */
export type BlockMark = { readonly number: bigint; readonly hash: Hex; readonly timestamp: bigint }
type Heights = { readonly head: BlockMark; readonly finalized: BlockMark }

/** One view of the chain. Concurrent calls of `heights` share a reading that starts after them. */
export type ChainView = {
  readonly reader: ChainReader
  heights(): Promise<Heights>
  /** For how many blocks of logs every node of the view answers in one request, as far as is known. */
  logRange(): bigint
}

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
  /** Every node, asked by itself, and what is wrong with it; at most once a second. */
  nodes(): Promise<readonly NodeState[]>
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

const EXAMINED_FOR_MS = 1_000

/** When the head is older than this by the clock of this process, the nodes of a list are compared, at most this often. */
const COMPARED_AFTER_MS = 30_000
const COMPARED_EVERY_MS = 5_000

/** A chain without news is looked at all the same after so many polls: an answer may have been a stale node's. */
const POLLS_MAX = 4

/** Readers that connect when they are first used. */
export function createChain({
  rpcUrls,
  confirmRpcUrls,
  timeoutMs,
  pollMs = 500,
}: ChainSettings): Chain {
  const [nodes, confirmNodes] = [
    openNodes(rpcUrls, timeoutMs),
    openNodes(confirmRpcUrls, timeoutMs),
  ]
  const own = viewOf(nodes, pollMs)
  const { reader, news } = own
  const second = confirmNodes.length === 0 ? [] : [viewOf(confirmNodes, pollMs)]
  const groups = [
    { role: 'chain', nodes },
    { role: 'confirm', nodes: confirmNodes },
  ] as const
  let seenUp = Number.NEGATIVE_INFINITY
  return {
    reader,
    views: [own, ...second],
    news,
    nodes: keepFresh(() => examineNodes(groups), EXAMINED_FOR_MS),
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

function viewOf(nodes: readonly ChainNode[], pollMs: number): ChainView & Pick<Chain, 'news'> {
  const reader = readerOf(nodes)
  let seen: Heights | undefined
  const read = async (): Promise<Heights> => {
    const [head, finalized] = await Promise.all([
      reader.getBlock(),
      reader.getBlock({ blockTag: 'finalized' }),
    ])
    return { head, finalized }
  }
  const compare = keepFresh(() => putStaleLast(nodes), COMPARED_EVERY_MS)
  const heights = readJointly(async () => {
    seen = await read()
    if (nodes.length === 1 || !isStale(seen.head)) return seen
    await compare()
    seen = await read()
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
  const logRange = () => leastOf(nodes.map((node) => node.facts().logRange))
  return { reader, heights, logRange, news: keepFresh(wait, 0) }
}

const leastOf = (numbers: bigint[]): bigint =>
  numbers.sort((one, other) => Number(one - other))[0] ?? LOG_RANGE

const isStale = ({ timestamp }: BlockMark): boolean =>
  Date.now() - Number(timestamp) * 1000 > COMPARED_AFTER_MS

/** `timeoutMs` limits one request over all urls. */
export const openNodes = (urls: readonly string[], timeoutMs: number): ChainNode[] =>
  urls.map((url) => new ChainNode(url, Math.max(1, Math.floor(timeoutMs / urls.length))))

/** A reader over these nodes, which are asked in their order. */
export function readerOf(nodes: readonly ChainNode[]): ChainReader {
  return createPublicClient({
    chain: facts as ChainFacts,
    transport: tracedTransport(nodesTransport(nodes)),
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
