import { type DomainError, refuse } from '../../workflows/domain/errors.ts'
import { limits } from '../../workflows/domain/limits.ts'
import type { Config } from '../config.ts'
import { findInput, type InputName, type InputRow, keptUntil } from '../store/agent-inputs.ts'
import type { Tx } from '../store/db.ts'
import { type InputBounds, storeInput, type Upload } from './stored-input.ts'

export type Inputs = ReturnType<typeof openInputs>
type InputDeps = { db: Tx; config: Pick<Config, 'INPUT_KEEP_MS' | 'INPUT_BYTES_PER_AGENT'> }
type Incoming = { mediaType: string; bytes: AsyncIterable<Uint8Array> }

/** Uploaded inputs as operations see them. */
export function openInputs({ db, config }: InputDeps) {
  const owner = { bytesMax: config.INPUT_BYTES_PER_AGENT, uploadsMax: limits.inputUploadsMax }
  const bounds: InputBounds = { bytesMax: limits.inputBytesMax, owner }
  const view = async (input: InputRow) => ({
    sha256: input.sha256,
    byte_length: input.byte_length,
    media_type: input.media_type,
    stored_at: input.stored_at.toISOString(),
    kept_until: (await keptUntil(db, input, config.INPUT_KEEP_MS))?.toISOString() ?? null,
  })
  return {
    /** Stores an upload; throws 403, 413, 422 and 429, and then nothing of it is left. */
    store: async (name: InputName, incoming: Incoming) => {
      const mediaType = incoming.mediaType as InputRow['media_type']
      const upload = await storeInput(db, name, mediaType, incoming.bytes, bounds)
      if (!upload.ok) throw refusals[upload.reason]()
      return { fresh: upload.fresh, input: await view(upload.input) }
    },
    read: async (name: InputName) => {
      const input = await findInput(db, name)
      if (input === undefined)
        throw refuse('not_found', 'this agent has no such input', 'Upload it, or check the digest.')
      return view(input)
    },
  }
}

const refusals: Record<Extract<Upload, { ok: false }>['reason'], () => DomainError> = {
  digest_mismatch: () =>
    refuse('evidence_mismatch', 'the bytes have another SHA-256 than the path says', 'Send the file of that digest.'),
  empty: () => refuse('evidence_mismatch', 'the body is empty', 'Send the file of that digest.'),
  too_large: () =>
    refuse('payload_too_large', `the body is over ${limits.inputBytesMax} bytes`, 'Send a smaller file.'),
  no_room: () =>
    refuse(
      'control_denied',
      'the inputs of this agent have as many bytes as they may',
      'Wait until inputs of closed tasks are removed.',
    ),
  too_many_at_once: () =>
    refuse('rate_limited', 'this agent uploads too many inputs at once', 'Finish an upload first.', {
      retry_after_ms: 5_000,
    }),
}
