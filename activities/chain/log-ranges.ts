import { setTimeout as sleep } from 'node:timers/promises'
import {
  BaseError,
  HttpRequestError,
  MethodNotFoundRpcError,
  numberToHex,
  TimeoutError,
} from 'viem'
import { causeIn, NodeFaultError } from './chain-fault.ts'

/** Blocks in one eth_getLogs request, unless a node allows fewer. */
export const LOG_RANGE = 2_000n
/** A limit that a node named is tried again after this time: it may have been that of a busy hour. */
const LIMIT_FOR_MS = 10 * 60_000
const RATE_LIMITED_TRIES = 5
const RATE_LIMITED_WAIT_MS = 1_000

/** How many blocks one node answers for in one request. */
export class LogLimit {
  #blocks = LOG_RANGE
  #learnedAt = Number.NEGATIVE_INFINITY

  get blocks(): bigint {
    return performance.now() - this.#learnedAt < LIMIT_FOR_MS ? this.#blocks : LOG_RANGE
  }

  learn(blocks: bigint): void {
    if (blocks >= this.blocks) return
    this.#blocks = blocks
    this.#learnedAt = performance.now()
  }
}

type Filter = { readonly fromBlock: string; readonly toBlock: string }
type Range = { readonly from: bigint; readonly to: bigint }
const sizeOf = ({ from, to }: Range): bigint => to - from + 1n

/**
 * The logs of a range from one node, which may allow smaller ranges only. Providers word their refusals in many ways, so any
 * error that a smaller range can cure leads to one: the size that the message names, or half.
 */
export async function readLogRanges(
  ask: (filter: Filter) => Promise<unknown>,
  limit: LogLimit,
  filter: Filter,
): Promise<unknown[]> {
  const left = [{ from: BigInt(filter.fromBlock), to: BigInt(filter.toBlock) }]
  const found: unknown[] = []
  let patience = RATE_LIMITED_TRIES
  for (let range = left.shift(); range !== undefined; range = left.shift()) {
    const part = partOf(range, limit.blocks)
    try {
      const filtered = {
        ...filter,
        fromBlock: numberToHex(part.from),
        toBlock: numberToHex(part.to),
      }
      found.push(...((await ask(filtered)) as unknown[]))
      if (part.to < range.to) left.unshift({ from: part.to + 1n, to: range.to })
      patience = RATE_LIMITED_TRIES
    } catch (error) {
      const smaller = smallerRange(error, sizeOf(part))
      if (smaller !== undefined) limit.learn(smaller)
      else if (sizeOf(range) > limit.blocks && isRateLimit(error) && patience-- > 0)
        await sleep(RATE_LIMITED_WAIT_MS)
      else throw error
      left.unshift(range)
    }
  }
  return found
}

const partOf = ({ from, to }: Range, most: bigint): Range => ({
  from,
  to: from + most - 1n < to ? from + most - 1n : to,
})

/** The range to try after this refusal; undefined when a smaller one is no cure. */
function smallerRange(error: unknown, size: bigint): bigint | undefined {
  if (size <= 1n || !isRefusal(error)) return undefined
  return namedRange(textOf(error), size) ?? size / 2n
}

function isRefusal(error: unknown): boolean {
  const others = [NodeFaultError, MethodNotFoundRpcError, TimeoutError]
  if (!(error instanceof BaseError) || isRateLimit(error)) return false
  if (others.some((kind) => causeIn(error, kind) !== undefined)) return false
  const http = causeIn(error, HttpRequestError)
  return http === undefined || http.status === 400 || http.status === 413
}

function isRateLimit(error: unknown): boolean {
  if (causeIn(error, HttpRequestError)?.status === 429) return true
  const text = textOf(error)
  return (
    /rate.?limit|too many requests|compute units|per second|credits\b|quota/i.test(text) &&
    !/block|range|results/i.test(text)
  )
}

const textOf = (error: unknown): string => (error instanceof BaseError ? error.details : '')

/** The range that a refusal recommends, or the largest number in it that is smaller than the range it refuses. */
function namedRange(text: string, size: bigint): bigint | undefined {
  const [, from, to] = /\[\s*(0x[0-9a-f]+),\s*(0x[0-9a-f]+)\s*\]/i.exec(text) ?? []
  const recommended = from && to ? sizeOf({ from: BigInt(from), to: BigInt(to) }) : 0n
  if (recommended >= 1n && recommended < size) return recommended
  const numbers = [...text.replace(/0x[0-9a-f]+/gi, '').matchAll(/(\d[\d,]*)(k?)/gi)].map(
    ([, digits = '0', kilo]) => BigInt(digits.replaceAll(',', '')) * (kilo === '' ? 1n : 1_000n),
  )
  return numbers
    .filter((number) => number >= 1n && number < size)
    .reduce<bigint | undefined>(
      (most, next) => (most === undefined || next > most ? next : most),
      undefined,
    )
}
