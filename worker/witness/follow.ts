import { openByAny } from '#domain/log/cosigned.ts'
import { isSame } from '#domain/log/merkle.ts'
import type { LogReader } from './log-reader.ts'
import type { Answer, Witness } from './witness.ts'

/** A checkpoint that does not change is cosigned again after this time, since a cosignature says when the log was seen. */
const AGAIN_AFTER_MS = 60_000

/** What one look at the log gave. */
export type Look =
  | { readonly result: 'cosigned' | 'unchanged'; readonly size: number }
  | { readonly result: 'behind'; readonly size: number; readonly cosigned: number }
  | { readonly result: 'refused'; readonly size: number; readonly reason: string }

/** Fetches the checkpoint of the log and cosigns it where it follows from the last one; throws where the log does not answer. */
export async function follow(witness: Witness, log: LogReader, now: number): Promise<Look> {
  const note = await log.checkpoint()
  const opened = openByAny(note, witness.logKeys)
  if (!opened.ok) throw new Error(`its checkpoint is refused: ${opened.fault}`)
  const { checkpoint: head } = opened
  const latest = witness.latest()
  if (latest !== undefined && head.size < latest.size)
    return { result: 'behind', size: head.size, cosigned: latest.size }
  const isKnown = latest?.size === head.size && isSame(latest.root, head.root)
  if (isKnown && now - latest.cosignedAt * 1000 < AGAIN_AFTER_MS)
    return { result: 'unchanged', size: head.size }
  const oldSize = latest?.size ?? 0
  const proof =
    oldSize === 0 || oldSize === head.size ? [] : await log.consistency(oldSize, head.size)
  return lookOf(witness.addCheckpoint({ oldSize, proof, note }), head.size)
}

function lookOf({ status, body }: Answer, size: number): Look {
  if (status === 200) return { result: 'cosigned', size }
  // The log pushed a newer checkpoint meanwhile.
  if (status === 409) return { result: 'unchanged', size: Number(body) }
  return { result: 'refused', size, reason: body.trim() }
}
