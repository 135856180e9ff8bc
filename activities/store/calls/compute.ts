import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { Tx } from '../postgres/db.ts'
import { countInWindows, readWindows } from './window-counts.ts'

/** The network that answers for the work of a caller without trust; null where an agent or an operator does. */
export type ComputeNetwork = string | null

const keyOf = (network: string): string => `compute:${network}`

/** Milliseconds until a network may begin more work; 0 if it may now. */
export async function computeWaitMs(tx: Tx, network: ComputeNetwork): Promise<number> {
  if (network === null) return 0
  const used = (await readWindows(tx, [keyOf(network)])).get(keyOf(network))
  return used !== undefined && used.points >= limits.computeMsOfNetwork ? used.left_ms : 0
}

/** Throws 429 until the window ends in which a network has used its processor time. */
export async function assertComputeLeft(tx: Tx, network: ComputeNetwork): Promise<void> {
  const waitMs = await computeWaitMs(tx, network)
  if (waitMs > 0) throw computeUsed(waitMs)
}

/** 429 until the window of a network's processor time ends. */
export const computeUsed = (waitMs: number) =>
  refuse('rate_limited', {
    detail: 'callers without trust of this network have used their processor time',
    retry_after_ms: waitMs,
  })

/** Does work whose processor time counts for a network, however it ends: each part at least a millisecond, however short it was. */
export async function countingCompute<Result>(
  db: Tx,
  network: ComputeNetwork,
  work: (spend: (cpuMs: number) => void) => Promise<Result>,
): Promise<Result> {
  let spent = 0
  try {
    return await work((cpuMs) => {
      spent += Math.max(1, Math.ceil(cpuMs))
    })
  } finally {
    if (network !== null && spent > 0)
      await countInWindows(db, new Map([[keyOf(network), spent]]), limits.computeWindowSeconds)
  }
}
