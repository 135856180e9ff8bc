import { base64 } from '@scure/base'
import { hashOf } from './kept-proof.ts'
import { isSame, merkleRoot, type TreeHead, verifyConsistency } from './merkle.ts'

/** The most proof lines that a request may have (C2SP tlog-witness). */
const PROOF_LINES_MAX = 63

/** What a log asks of a witness: to cosign a checkpoint, with the proof from the size that was cosigned last. */
export type AddCheckpoint = {
  readonly oldSize: number
  readonly proof: readonly Uint8Array[]
  /** The signed note of the checkpoint, not read yet. */
  readonly note: string
}

/** The body of an `add-checkpoint` request; undefined where it is none. */
export function readAddCheckpoint(body: string): AddCheckpoint | undefined {
  const end = body.indexOf('\n\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = body.slice(0, end).split('\n', PROOF_LINES_MAX + 2)
  const oldSize = first.startsWith('old ') ? readSize(first.slice(4)) : undefined
  const proof = lines.map(hashOf)
  if (oldSize === undefined || proof.length > PROOF_LINES_MAX) return undefined
  if (!proof.every((hash) => hash !== undefined)) return undefined
  return { oldSize, proof, note: body.slice(end + 2) }
}

/** The text of that body. */
export const addCheckpointText = ({ oldSize, proof, note }: AddCheckpoint): string =>
  `old ${oldSize}\n${proof.map((hash) => `${base64.encode(hash)}\n`).join('')}\n${note}`

/** How a witness answers. `contradicts`: the log has signed another root for the size that was cosigned last. */
export type Judgement =
  | { readonly status: 200 }
  | { readonly status: 400 | 409 | 422; readonly reason: string; readonly contradicts: boolean }

/** Whether a checkpoint with a good signature of its log follows from the one that was cosigned last. */
export function judgeCheckpoint(
  latest: TreeHead | undefined,
  { oldSize, proof }: Pick<AddCheckpoint, 'oldSize' | 'proof'>,
  next: TreeHead,
): Judgement {
  const contradicts = next.size === latest?.size && !isSame(next.root, latest.root)
  const refuse = (status: 400 | 409 | 422, reason: string): Judgement => {
    return { status, reason, contradicts }
  }
  if (oldSize > next.size) return refuse(400, 'the old size is larger than the checkpoint')
  if (oldSize !== (latest?.size ?? 0)) return refuse(409, 'another size was cosigned last')
  if (next.size === 0 && !isSame(next.root, merkleRoot([])))
    return refuse(422, 'the root of size 0 is not the one of the empty tree')
  if (contradicts) return refuse(422, 'another root was cosigned for this size')
  if (oldSize === 0 || latest === undefined)
    return proof.length === 0 ? { status: 200 } : refuse(422, 'a proof from size 0 is empty')
  return verifyConsistency(latest, next, proof)
    ? { status: 200 }
    : refuse(422, 'the consistency proof does not verify')
}

/** A number of leaves in its one decimal form. */
function readSize(digits: string): number | undefined {
  const size = /^(0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : undefined
  return Number.isSafeInteger(size) ? size : undefined
}
