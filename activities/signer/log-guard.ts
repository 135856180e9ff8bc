import { z } from 'zod'
import { parseCheckpointText } from '#domain/log/checkpoint.ts'
import { inMemory, openJournal } from '../config/journal.ts'
import { SignerRefusal } from './protocol.ts'

const signedHead = z.strictObject({ size: z.int().min(0), root: z.base64() })
type SignedHead = z.output<typeof signedHead>

/** The journal of signed checkpoints in a file; only the last one counts. */
export const openHeadJournal = (path: string) =>
  openJournal(path, { schema: signedHead, live: (entries) => entries.slice(-1) })

/** The log only grows: no checkpoint is signed that is smaller than one before it or has another root, and no root without one. */
export function createLogGuard(journal = inMemory<SignedHead>()) {
  let last = journal.entries.at(-1)
  let stored: Promise<void> = Promise.resolve()
  return {
    /** Returns once a checkpoint is remembered, or for the root of the last one; throws `SignerRefusal` for any other bytes. */
    admit: async (bytes: Uint8Array): Promise<void> => {
      const checkpoint = parseCheckpointText(Buffer.from(bytes).toString('utf8'))
      const root = Buffer.from(checkpoint?.root ?? bytes.slice(-ROOT_BYTES)).toString('base64')
      const { size } = checkpoint ?? last ?? { size: 0 }
      if (last !== undefined && size < last.size)
        throw refused(`a checkpoint of ${last.size} entries is signed already`)
      const isSame = size === last?.size && root === last.root
      if (!isSame && checkpoint === undefined)
        throw refused('the root is not that of the last checkpoint')
      if (!isSame && size === last?.size)
        throw refused(`another root of ${size} entries is signed already`)
      if (!isSame) {
        last = { size, root }
        stored = journal.append(last)
      }
      await stored
    },
  }
}

const ROOT_BYTES = 32
const refused = (reason: string) => new SignerRefusal('refused', reason)
