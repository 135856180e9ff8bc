import {
  AbiDecodingZeroDataError,
  BaseError,
  ExecutionRevertedError,
  HttpRequestError,
  TimeoutError,
} from 'viem'

/** An answer that a sound node of this chain does not give. It proves nothing. */
export class NodeFaultError extends BaseError {
  override name = 'NodeFaultError'
}

/** A node of another chain. */
export class WrongChainError extends NodeFaultError {
  override name = 'WrongChainError'
  readonly chainId: number

  constructor(chainId: number, wanted: number) {
    super(`the chain's id is ${chainId}, not ${wanted}`)
    this.chainId = chainId
  }
}

/** Whether the node executed the call and the call reverted, which is a proven answer. */
export function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk(isRevertCause) !== null
}

/** Whether an error proves nothing about the chain: it is neither a revert nor an empty answer of an address without code. */
export function isChainFault(error: unknown): boolean {
  return !isRevert(error) && causeIn(error, AbiDecodingZeroDataError) === undefined
}

/** Whether a node gave no answer that says anything: the next one may. */
export const isSilence = (error: unknown): boolean =>
  [HttpRequestError, TimeoutError, NodeFaultError].some(
    (kind) => causeIn(error, kind) !== undefined,
  )

/** The first cause of this class in an error of viem. */
export function causeIn<T extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => T,
): T | undefined {
  if (!(error instanceof BaseError)) return undefined
  return (error.walk((cause) => cause instanceof kind) as T | null) ?? undefined
}

/** What a node said, in one line without its URL, which may hold an access key. */
export function nodeErrorText(error: unknown): string {
  const said = error instanceof BaseError ? error.details || error.shortMessage : String(error)
  const text = said
    .replace(/https?:\/\/\S+/g, 'the node')
    .replace(/\s+/g, ' ')
    .trim()
  return text.slice(0, 200) || 'a fault'
}

function isRevertCause(cause: unknown): boolean {
  if (cause instanceof ExecutionRevertedError) return true
  return cause instanceof Error && 'code' in cause && cause.code === ExecutionRevertedError.code
}
