import { statfs } from 'node:fs/promises'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { Config } from '../../../activities/config/config.ts'
import { type InputBounds, storeInput, type Upload } from '../../../activities/runs/stored-input.ts'
import {
  deleteInput,
  findInput,
  type InputName,
  type InputRow,
  keptUntil,
} from '../../../activities/store/inputs/agent-inputs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'

type InputSettings =
  `INPUT_${'KEEP_MS' | 'KEEP_SANDBOX_MS' | 'BYTES_PER_AGENT' | 'BYTES_PER_SANDBOX' | 'BYTES_OF_AGENTS' | 'BYTES_OF_SANDBOXES'}`
type InputDeps = {
  db: Tx
  config: Pick<Config, InputSettings | 'INPUT_SPACE_PATH' | 'INPUT_SPACE_MIN'>
}
/** Whose upload it is; a sandbox has little room. */
type Uploader = { readonly owner: string; readonly sandbox: boolean }
type Incoming = { mediaType: string; bytes: AsyncIterable<Uint8Array> }

/** Uploaded inputs as operations see them. */
export class InputService {
  private readonly deps: InputDeps

  constructor(deps: InputDeps) {
    this.deps = deps
  }

  /** Stores an upload; throws 403, 413, 422, 429 and 503, and then nothing of it is left. */
  async store({ owner, sandbox }: Uploader, sha256: string, incoming: Incoming) {
    const { db, config } = this.deps
    await assertSpace(config)
    const name = { owner, sha256 }
    const mediaType = incoming.mediaType as InputRow['media_type']
    const bounds = boundsOf(config, sandbox)
    const upload = await storeInput(db, name, mediaType, incoming.bytes, bounds)
    if (!upload.ok)
      throw upload.reason === 'secret' ? holding(upload) : refused(upload.reason, bounds)
    return { fresh: upload.fresh, input: await this.#view(upload.input) }
  }

  async read(name: InputName) {
    const { db } = this.deps
    const input = await findInput(db, name)
    if (input === undefined)
      throw refuse('not_found', {
        detail: 'this agent has no such input',
        next_action: 'Upload it, or check the digest.',
      })
    return this.#view(input)
  }

  /** Deletes an upload; a repeat finds it gone. Throws 409 while a run that is not closed names it. */
  async delete(name: InputName) {
    if ((await deleteInput(this.deps.db, name)) === 'in_use') throw refusals.in_use()
    return { sha256: name.sha256, deleted: true as const }
  }

  async #view(input: InputRow) {
    const { db, config } = this.deps
    const keep = { keepMs: config.INPUT_KEEP_MS, sandboxKeepMs: config.INPUT_KEEP_SANDBOX_MS }
    return {
      sha256: input.sha256,
      byte_length: input.byte_length,
      media_type: input.media_type,
      stored_at: input.stored_at.toISOString(),
      kept_until: (await keptUntil(db, input, keep))?.toISOString() ?? null,
    }
  }
}

function boundsOf(config: InputDeps['config'], sandbox: boolean): InputBounds {
  const { inputBytesMax: bytesMax, inputUploadsMax: uploadsMax } = limits
  const ofAgents = {
    bytesMax: config.INPUT_BYTES_PER_AGENT,
    allBytesMax: config.INPUT_BYTES_OF_AGENTS,
  }
  const ofSandboxes = {
    bytesMax: config.INPUT_BYTES_PER_SANDBOX,
    allBytesMax: config.INPUT_BYTES_OF_SANDBOXES,
  }
  return { bytesMax, owner: { ...(sandbox ? ofSandboxes : ofAgents), uploadsMax, sandbox } }
}

/** Throws 503 while the volume of a local Postgres has little space left. */
async function assertSpace({
  INPUT_SPACE_PATH: path,
  INPUT_SPACE_MIN: least,
}: InputDeps['config']): Promise<void> {
  if (path === '') return
  const { bavail, bsize } = await statfs(path)
  if (bavail * bsize < least) throw refusals.no_room_at_all()
}

const holding = ({ kind }: { kind: string }): DomainError =>
  refuse('forbidden_material', { detail: `the upload holds ${kind}` })

type Refused = Exclude<Extract<Upload, { ok: false }>['reason'], 'secret'>
const refused = (reason: Refused, { owner }: InputBounds): DomainError =>
  reason === 'no_room' ? noRoom(owner) : refusals[reason]()

const noRoom = ({ bytesMax, sandbox }: InputBounds['owner']): DomainError =>
  refuse('control_denied', {
    detail: `the uploads of this ${sandbox ? 'sandbox agent' : 'agent'} may have ${bytesMax} bytes in all, and with this one they have more`,
    next_action: `Delete uploads that no open task uses (DELETE /api/agent-inputs/{sha256})${sandbox ? ', or register an agent that an operator trusts, which has more room' : ''}.`,
  })

const refusals: Record<Exclude<Refused, 'no_room'>, () => DomainError> = {
  digest_mismatch: () =>
    refuse('evidence_mismatch', {
      detail: 'the bytes have another SHA-256 than the path says',
      next_action: 'Send the file of that digest.',
    }),
  empty: () =>
    refuse('evidence_mismatch', {
      detail: 'the body is empty',
      next_action: 'Send the file of that digest.',
    }),
  too_large: () =>
    refuse('payload_too_large', {
      detail: `the body is over ${limits.inputBytesMax} bytes`,
      next_action: 'Split the file, and run each part.',
    }),
  no_room_at_all: () =>
    refuse('unavailable', {
      detail: 'there is no room for uploads',
      next_action: 'Upload it later, or send a shorter input in the body.',
    }),
  in_use: () =>
    refuse('wrong_state', {
      detail: 'a task that is not closed uses this upload',
      next_action: 'Wait until the task has closed, or cancel it.',
    }),
  too_many_at_once: () =>
    refuse('rate_limited', {
      detail: 'this agent uploads too many inputs at once',
      next_action: 'Finish an upload first.',
      retry_after_ms: 5_000,
    }),
}
