import { hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import type { ReceiptBundle } from './bundle.ts'

/** A proof file (C2SP tlog-proof), of which nothing is verified. */
export type KeptProof = {
  readonly index: number
  readonly path: readonly Uint8Array[]
  /** The signed checkpoint. */
  readonly note: string
}

const HEADER = 'c2sp.org/tlog-proof@v1'
const HASHES_MAX = 63

/** A bundle without its receipt as a proof file, which the verifiers of other logs read. */
export function proofFile({
  leaf_index,
  path,
  checkpoint,
}: Pick<ReceiptBundle, 'leaf_index' | 'path' | 'checkpoint'>): string {
  const hashes = path.map((hash) => `${base64.encode(hexToBytes(hash))}\n`).join('')
  return `${HEADER}\nindex ${leaf_index}\n${hashes}\n${checkpoint}`
}

/** Reads a proof file; nothing where it is none. */
export function parseKeptProof(text: string): KeptProof | undefined {
  const end = text.indexOf('\n\n')
  if (end < 0) return undefined
  const [header, ...lines] = text.slice(0, end).split('\n', HASHES_MAX + 4)
  const [first = '', ...rest] = lines[0]?.startsWith('extra ') ? lines.slice(1) : lines
  const digits = /^index (0|[1-9]\d{0,15})$/.exec(first)?.[1]
  const path = rest.map(hashOf)
  if (header !== HEADER || digits === undefined || path.length > HASHES_MAX) return undefined
  if (!path.every((hash) => hash !== undefined)) return undefined
  return { index: Number(digits), path, note: text.slice(end + 2) }
}

/** The 32 bytes of a hash from the one base64 text of them. */
export function hashOf(line: string): Uint8Array | undefined {
  if (line.length !== 44) return undefined
  try {
    const hash = base64.decode(line)
    return hash.length === 32 ? hash : undefined
  } catch {
    return undefined
  }
}
