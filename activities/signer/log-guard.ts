import { z } from 'zod'
import { type Checkpoint, parseCheckpointText } from '#domain/log/checkpoint.ts'
import { isSame, verifyConsistency } from '#domain/log/merkle.ts'
import { continuationsOf } from '#domain/log/origin.ts'
import type { SignProof } from '#domain/receipts/receipt.ts'
import { inMemory, openJournal } from '../config/journal.ts'
import { SignerRefusal } from './protocol.ts'

const signedHead = z.strictObject({
  origin: z.string(),
  size: z.int().min(0),
  root: z.base64(),
})
type SignedHead = z.output<typeof signedHead>

/** The journal of signed checkpoints in a file; only the last one of each origin counts. */
export const openHeadJournal = (path: string) =>
  openJournal(path, { schema: signedHead, live: (entries) => [...lastOfEach(entries).values()] })

/**
 * The log of an origin only grows: no checkpoint is signed whose tree is not proven to begin with that of the last one, and no root without
 * a checkpoint. A log that continues another after a restore has at least the leaves that were restored.
 */
export function createLogGuard(journal = inMemory<SignedHead>()) {
  const heads = lastOfEach(journal.entries)
  let stored: Promise<void> = Promise.resolve()
  return {
    /** Returns once a checkpoint is remembered, or for the root of a last one; throws `SignerRefusal` for any other bytes. */
    admit: async (bytes: Uint8Array, proof?: SignProof['consistency']): Promise<void> => {
      const checkpoint = parseCheckpointText(Buffer.from(bytes).toString('utf8'))
      if (checkpoint === undefined) assertRoot(heads, bytes.slice(-ROOT_BYTES))
      else if (!isLast(heads.get(checkpoint.origin), checkpoint)) {
        assertGrown(heads.get(checkpoint.origin), checkpoint, proof)
        const { origin, size, root } = checkpoint
        const head = { origin, size, root: Buffer.from(root).toString('base64') }
        heads.set(origin, head)
        stored = journal.append(head)
      }
      await stored
    },
  }
}

const lastOfEach = (entries: readonly SignedHead[]): Map<string, SignedHead> =>
  new Map(entries.map((entry) => [entry.origin, entry]))

const ROOT_BYTES = 32
const bytesOf = ({ root }: SignedHead): Uint8Array => Buffer.from(root, 'base64')

const isLast = (head: SignedHead | undefined, { size, root }: Checkpoint): boolean =>
  head !== undefined && size === head.size && isSame(root, bytesOf(head))

function assertRoot(heads: ReadonlyMap<string, SignedHead>, root: Uint8Array): void {
  if (![...heads.values()].some((head) => isSame(root, bytesOf(head))))
    throw refused('the root is not that of the last checkpoint')
}

function assertGrown(
  head: SignedHead | undefined,
  { origin, size, root }: Checkpoint,
  proof: SignProof['consistency'],
): void {
  if (head === undefined) {
    if (size < (continuationsOf(origin).at(-1)?.restored ?? 0))
      throw refused('the checkpoint has fewer leaves than the log that it continues')
    return
  }
  if (size < head.size) throw refused(`a checkpoint of ${head.size} entries is signed already`)
  if (size === head.size) throw refused(`another root of ${size} entries is signed already`)
  if (proof?.from !== head.size) throw new SignerRefusal('other_head', String(head.size))
  const path = proof.path.map((hash) => Buffer.from(hash, 'base64url'))
  const before = { size: head.size, root: bytesOf(head) }
  if (!verifyConsistency(before, { size, root }, path))
    throw refused(`the tree does not begin with that of the last checkpoint, of ${head.size}`)
}

const refused = (reason: string) => new SignerRefusal('refused', reason)
