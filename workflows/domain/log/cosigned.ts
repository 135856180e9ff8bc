import {
  type Note,
  type NoteKey,
  type OpenedCheckpoint,
  openCheckpoint,
  verifyCosignature,
} from './checkpoint.ts'

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
