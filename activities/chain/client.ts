import {
  AbiDecodingZeroDataError,
  BaseError,
  type Chain as ChainFacts,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  fallback,
  http,
  type PublicClient,
  type Transport,
} from 'viem'
import { refuse } from '../../workflows/domain/errors.ts'
import { CHAIN_ID } from '../../workflows/domain/limits.ts'

export type ChainReader = PublicClient<Transport, ChainFacts>

/** The chain as the rail sees it: one reader over the RPC urls, a second one where a second opinion is configured. */
export type Chain = {
  readonly reader: ChainReader
  readonly confirmReader: ChainReader | undefined
  /** Whether a node of the right chain answers in time. */
  isUp(): Promise<boolean>
  /** The newest block's number; throws 503 `unavailable`. */
  head(): Promise<bigint>
  /** The finalized block's time in Unix seconds; throws 503 `unavailable`. */
  finalizedTime(): Promise<bigint>
}

/** `timeoutMs` bounds one question over all its urls, which are tried in order. */
export type ChainSettings = {
  readonly rpcUrls: readonly string[]
  readonly confirmRpcUrls: readonly string[]
  readonly timeoutMs: number
}

const facts = defineChain({
  id: CHAIN_ID,
  name: 'Base',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

/** Readers that connect when they are first used. */
export function createChain({ rpcUrls, confirmRpcUrls, timeoutMs }: ChainSettings): Chain {
  const reader = createReader(rpcUrls, timeoutMs)
  return {
    reader,
    confirmReader: confirmRpcUrls.length === 0 ? undefined : createReader(confirmRpcUrls, timeoutMs),
    isUp: () =>
      reader.getChainId().then(
        (id) => id === CHAIN_ID,
        () => false,
      ),
    head: () => reader.getBlockNumber({ cacheTime: 0 }).catch(refuseDown),
    finalizedTime: () => reader.getBlock({ blockTag: 'finalized' }).then((block) => block.timestamp, refuseDown),
  }
}

function createReader(urls: readonly string[], timeoutMs: number): ChainReader {
  const timeout = Math.max(1, Math.floor(timeoutMs / urls.length))
  const transports = urls.map((url) => http(url, { timeout, retryCount: 0 }))
  return createPublicClient({
    chain: facts as ChainFacts,
    transport: fallback(transports, { retryCount: 0 }),
    cacheTime: 0,
    pollingInterval: 250,
  })
}

function refuseDown(): never {
  throw refuse('unavailable', 'the chain does not answer', 'Repeat the call later.', { retry_after_ms: 1000 })
}

/** Whether the node executed the call and it reverted: a proven answer. */
export function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk(isRevertCause) !== null
}

/** Whether an error proves nothing about the chain: no answer in time, or one that is neither a revert nor the absence of code. */
export function isChainFault(error: unknown): boolean {
  return (
    !isRevert(error) &&
    !(error instanceof BaseError && error.walk((cause) => cause instanceof AbiDecodingZeroDataError) !== null)
  )
}

function isRevertCause(cause: unknown): boolean {
  if (cause instanceof ExecutionRevertedError) return true
  return cause instanceof Error && 'code' in cause && cause.code === ExecutionRevertedError.code
}
