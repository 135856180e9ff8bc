import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import {
  NOTE_COSIGNATURE,
  NOTE_ED25519,
  type NoteKey,
  signatureLine,
  verifierKey,
} from '#domain/log/checkpoint.ts'

const sha256 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const leafOf = (entry: Uint8Array) => sha256(Uint8Array.of(0), entry)
const nodeOf = (left: Uint8Array, right: Uint8Array) => sha256(Uint8Array.of(1), left, right)
const half = (count: number) => 2 ** Math.floor(Math.log2(count - 1))

/** The Merkle tree of RFC 6962 by its definition, so that it shares no code with the service. */
export const rootOf = (entries: readonly Uint8Array[]): Buffer => {
  const [first] = entries
  if (first === undefined) return sha256()
  if (entries.length === 1) return leafOf(first)
  const k = half(entries.length)
  return nodeOf(rootOf(entries.slice(0, k)), rootOf(entries.slice(k)))
}

export function inclusionOf(index: number, entries: readonly Uint8Array[]): Buffer[] {
  if (entries.length <= 1) return []
  const k = half(entries.length)
  return index < k
    ? [...inclusionOf(index, entries.slice(0, k)), rootOf(entries.slice(k))]
    : [...inclusionOf(index - k, entries.slice(k)), rootOf(entries.slice(0, k))]
}

export function consistencyOf(
  older: number,
  entries: readonly Uint8Array[],
  known = true,
): Buffer[] {
  if (older === entries.length) return known ? [] : [rootOf(entries)]
  const k = half(entries.length)
  return older <= k
    ? [...consistencyOf(older, entries.slice(0, k), known), rootOf(entries.slice(k))]
    : [...consistencyOf(older - k, entries.slice(k), false), rootOf(entries.slice(0, k))]
}

/** The entries of a tree of this size; with another salt they are others. Each tree begins with the smaller ones. */
export const treeOf = (size: number, salt = ''): Buffer[] =>
  Array.from({ length: size }, (_, index) => sha256(Buffer.from(`${salt} ${index}`)))

const checkpointOf = (origin: string, entries: readonly Uint8Array[]): string =>
  `${origin}\n${entries.length}\n${rootOf(entries).toString('base64')}\n`

/** The text of the checkpoint of `treeOf`. */
export const checkpointOfTree = (origin: string, size: number, salt = ''): string =>
  checkpointOf(origin, treeOf(size, salt))

/** The proof, as the signer takes it, that the tree of `size` entries begins with that of `from`. */
export const growth = (from: number, size: number, salt = '') => ({
  from,
  path: (from === 0 ? [] : consistencyOf(from, treeOf(size, salt))).map((hash) =>
    hash.toString('base64url'),
  ),
})

/** A log of its own key. It signs whatever tree it is asked to sign. */
export function createLogKey(origin = '127.0.0.1:3000/log') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const key: NoteKey = { name: origin, type: NOTE_ED25519, key: new Uint8Array(raw) }
  const signText = (text: string): string =>
    `${text}\n${signatureLine(key, sign(null, Buffer.from(text), privateKey))}`
  return {
    key,
    text: verifierKey(key),
    signText,
    checkpoint: (entries: readonly Uint8Array[]): string => signText(checkpointOf(origin, entries)),
  }
}
type LogKey = ReturnType<typeof createLogKey>

type ServedLog = {
  entries: Uint8Array[]
  key: LogKey
  /** What it serves instead of the checkpoint of its entries. */
  checkpoint?: string
  /** What it serves where a witness shows its last checkpoint. */
  monitor?: string
}

/** Serves the entries of `log` as static tiles (C2SP tlog-tiles): an honest log, unless a test makes it lie. */
export async function serveLog(log: ServedLog) {
  const server = createServer((request, response) => {
    const body = answerOf(request.url ?? '', log)
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('not bound')
  return {
    url: `http://127.0.0.1:${bound.port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerOf(path: string, { entries, key, checkpoint, monitor }: ServedLog) {
  if (path === '/log/checkpoint') return checkpoint ?? key.checkpoint(entries)
  if (/^\/[0-9a-f]{64}\/checkpoint$/.test(path)) return monitor
  const [, level, number = '', width = '256'] =
    /^\/log\/tile\/(\d|entries)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path) ?? []
  if (level === undefined) return undefined
  const from = Number(number.replaceAll(/[x/]/g, '')) * 256
  const wanted = Array.from({ length: Number(width) }, (_, at) => from + at)
  if (level === 'entries')
    return Buffer.concat(wanted.map((at) => withLength(entries[at] ?? new Uint8Array())))
  const leaves = 256 ** Number(level)
  return Buffer.concat(wanted.map((at) => rootOf(entries.slice(at * leaves, (at + 1) * leaves))))
}

function withLength(entry: Uint8Array): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(entry.length)
  return Buffer.concat([length, entry])
}

/** A witness that cosigns whatever it is asked to. */
export function createWitnessSigner(name = 'witness.example/w1') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const key: NoteKey = { name, type: NOTE_COSIGNATURE, key: new Uint8Array(raw) }
  return {
    key,
    text: verifierKey(key),
    /** The line that cosigns a note at this Unix second. */
    cosign: (note: string, time: number): string => {
      const text = note.slice(0, note.lastIndexOf('\n\n') + 1)
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64BE(BigInt(time))
      const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${time}\n${text}`), privateKey)
      return signatureLine(key, Buffer.concat([bytes, signature]))
    },
  }
}

/** A proof file (C2SP tlog-proof). */
export const proofText = (index: number, path: readonly Uint8Array[], note: string): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `index ${index}`,
    ...path.map((hash) => Buffer.from(hash).toString('base64')),
    '',
    note,
  ].join('\n')
