import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { isSoundPublicKey } from '../core/ed25519.ts'
import { isSame } from './merkle.ts'

/** The signature types of a note: a plain Ed25519 signature, and a timestamped cosignature (C2SP tlog-cosignature). */
export const NOTE_ED25519 = 0x01
export const NOTE_COSIGNATURE = 0x04
export type NoteType = typeof NOTE_ED25519 | typeof NOTE_COSIGNATURE

const NOTE_BYTES_MAX = 65_536
const NOTE_SIGNATURES_MAX = 64

/** The key that a note names: its name, its type and the 32 bytes of the public key. */
export type NoteKey = { name: string; type: NoteType; key: Uint8Array }
/** One signature line: the name, the four bytes that name the key, and the bytes after them. */
type NoteSignature = { name: string; id: Uint8Array; signature: Uint8Array }
/** A signed note: its text, which ends with a newline, and its signatures. */
type Note = { text: string; signatures: NoteSignature[] }
export type Checkpoint = { origin: string; size: number; root: Uint8Array; extensions: string[] }

/** The first four bytes of SHA-256 over the name, a newline, the type and the key. */
export const noteKeyId = ({ name, type, key }: NoteKey): Uint8Array =>
  sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(type), key)).slice(0, 4)

/** The text form of a key: `name+<key id in hex>+<base64 of type and key>`. */
export const verifierKey = (key: NoteKey): string =>
  `${key.name}+${bytesToHex(noteKeyId(key))}+${base64.encode(concatBytes(Uint8Array.of(key.type), key.key))}`

/** Reads the text form; nothing where it is not the one form of a sound Ed25519 key of a known type. */
export function parseVerifierKey(text: string): NoteKey | undefined {
  const [, name = '', encoded = ''] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/.exec(text) ?? []
  const bytes = decoded(encoded)
  const type = bytes?.[0]
  if (bytes === undefined || (type !== NOTE_ED25519 && type !== NOTE_COSIGNATURE)) return undefined
  const key: NoteKey = { name, type, key: bytes.slice(1) }
  const isKey = isNoteName(name) && isSoundPublicKey(key.key)
  return isKey && verifierKey(key) === text ? key : undefined
}

/** The text that a log signs: origin, number of leaves and root, each on a line. */
export const checkpointText = ({ origin, size, root }: Omit<Checkpoint, 'extensions'>): string =>
  `${origin}\n${size}\n${base64.encode(root)}\n`

/** Reads the text of a checkpoint; nothing where it is not in its one form. */
export function parseCheckpointText(text: string): Checkpoint | undefined {
  if (!isNoteText(text)) return undefined
  const [origin = '', size = '', root = '', ...extensions] = text.slice(0, -1).split('\n')
  const bytes = decoded(root)
  const isForm = origin !== '' && /^(0|[1-9]\d{0,15})$/.test(size) && !extensions.includes('')
  if (!isForm || !Number.isSafeInteger(Number(size)) || bytes?.length !== 32) return undefined
  return { origin, size: Number(size), root: bytes, extensions }
}

/** A signature line, with its newline. */
export const signatureLine = (key: NoteKey, signature: Uint8Array): string =>
  `— ${key.name} ${base64.encode(concatBytes(noteKeyId(key), signature))}\n`

/** A note: its text, an empty line and the signature lines. */
export const signedNote = (text: string, lines: readonly string[]): string =>
  `${text}\n${lines.join('')}`

/** Reads a note without verifying it; nothing where it has no text, no signature, or a line of another form. */
export function parseNote(note: string): Note | undefined {
  if (note.length > NOTE_BYTES_MAX || !note.endsWith('\n')) return undefined
  const split = note.lastIndexOf('\n\n')
  const text = note.slice(0, split + 1)
  if (split < 1 || !isNoteText(text)) return undefined
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > NOTE_SIGNATURES_MAX) return undefined
  const signatures = lines.flatMap((line) => parseSignatureLine(line) ?? [])
  return signatures.length === lines.length ? { text, signatures } : undefined
}

/** Reads a line without its newline. */
export function parseSignatureLine(line: string): NoteSignature | undefined {
  const [dash, name = '', encoded = '', ...more] = line.split(' ')
  const bytes = decoded(encoded)
  const isLine = dash === '—' && more.length === 0 && isNoteName(name)
  if (!isLine || bytes === undefined || bytes.length < 5) return undefined
  return { name, id: bytes.slice(0, 4), signature: bytes.slice(4) }
}

/** A note repeats no signature of one key more often; each costs a verification. */
const SIGNATURES_OF_KEY_MAX = 4

/** Whether a note has a valid signature of this log key. */
function verifyNote({ text, signatures }: Note, key: NoteKey): boolean {
  const ours = signatures.filter((line) => key.type === NOTE_ED25519 && isBy(line, key))
  // As Go's verifier has it: a wrong signature by a known key spoils the note.
  if (ours.length === 0 || ours.length > SIGNATURES_OF_KEY_MAX) return false
  return ours.every(({ signature }) => isSigned(signature, text, key.key))
}

/** Why a checkpoint is refused, or what it says. */
export type OpenedCheckpoint =
  | { ok: true; checkpoint: Checkpoint; note: Note }
  | { ok: false; fault: 'malformed' | 'other_origin' | 'unknown_key' | 'bad_signature' }

/** Reads a signed checkpoint of this log: the origin is the name of its key. */
export function openCheckpoint(text: string, key: NoteKey): OpenedCheckpoint {
  const note = parseNote(text)
  const checkpoint = note && parseCheckpointText(note.text)
  if (note === undefined || checkpoint === undefined) return { ok: false, fault: 'malformed' }
  if (checkpoint.origin !== key.name) return { ok: false, fault: 'other_origin' }
  if (!note.signatures.some((line) => isBy(line, key))) return { ok: false, fault: 'unknown_key' }
  return verifyNote(note, key)
    ? { ok: true, checkpoint, note }
    : { ok: false, fault: 'bad_signature' }
}

/** The text that a witness signs with the time, in Unix seconds, at which it saw the checkpoint. */
export const cosignedText = (time: number, text: string): string =>
  `cosignature/v1\ntime ${time}\n${text}`

/** The bytes of a cosignature after the key id: the time in eight bytes, and 64 bytes of signature. */
export const cosignatureBytes = (time: number, signature: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time))
  return concatBytes(bytes, signature)
}

/** The time of a valid cosignature on this text by this witness; nothing where it is not one. */
export function verifyCosignature(
  line: NoteSignature,
  text: string,
  witness: NoteKey,
): { time: number } | undefined {
  if (witness.type !== NOTE_COSIGNATURE || !isBy(line, witness)) return undefined
  if (line.signature.length !== 72) return undefined
  const stamp = new DataView(line.signature.slice(0, 8).buffer).getBigUint64(0)
  if (stamp > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  const time = Number(stamp)
  const isValid = isSigned(line.signature.slice(8), cosignedText(time, text), witness.key)
  return isValid ? { time } : undefined
}

const isBy = ({ name, id }: NoteSignature, key: NoteKey): boolean =>
  name === key.name && isSame(id, noteKeyId(key))

function isSigned(signature: Uint8Array, text: string, key: Uint8Array): boolean {
  if (signature.length !== 64 || !isSoundPublicKey(key)) return false
  try {
    return ed25519.verify(signature, utf8ToBytes(text), key, { zip215: false })
  } catch {
    return false
  }
}

/** A name has no space and no plus. */
export const isNoteName = (name: string): boolean =>
  name !== '' && name.length <= 255 && !/[\s+\p{Cc}\p{Cs}]/u.test(name)

/** Lines of printable text, each with its newline; a lone surrogate has no form in UTF-8. */
const isNoteText = (text: string): boolean =>
  text.endsWith('\n') && text.length > 1 && !/[\p{Cc}\p{Cs}]/u.test(text.replaceAll('\n', ''))

function decoded(text: string): Uint8Array | undefined {
  try {
    const bytes = base64.decode(text)
    return base64.encode(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Lines of one name that are verified, since anyone can add more of them. */
const LINES_MAX = 4

/** When a witness cosigned a checkpoint, in Unix seconds; nothing where it has no good cosignature. */
export function cosignedAt({ text, signatures }: Note, witness: NoteKey): number | undefined {
  const own = signatures.filter(({ name }) => name === witness.name)
  for (const line of own.slice(0, LINES_MAX)) {
    const found = verifyCosignature(line, text, witness)
    if (found !== undefined) return found.time
  }
  return undefined
}

type Opened = Extract<OpenedCheckpoint, { ok: true }> & { key: NoteKey }

/** Reads a checkpoint that one of the keys of a log has signed: a log that renews its key keeps its name. */
export function openByAny(
  text: string,
  keys: readonly NoteKey[],
): Opened | Extract<OpenedCheckpoint, { ok: false }> {
  let refused: Extract<OpenedCheckpoint, { ok: false }> = { ok: false, fault: 'unknown_key' }
  for (const key of keys) {
    const opened = openCheckpoint(text, key)
    if (opened.ok) return { ...opened, key }
    if (opened.fault !== 'unknown_key') refused = opened
  }
  return refused
}
