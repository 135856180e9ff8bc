import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AddCheckpoint,
  judgeCheckpoint,
  readAddCheckpoint,
} from '#domain/log/add-checkpoint.ts'
import {
  cosignedAt,
  type NoteKey,
  type OpenedCheckpoint,
  openByAny,
  signatureLine,
  signedNote,
} from '#domain/log/checkpoint.ts'
import type { TreeHead } from '#domain/log/merkle.ts'
import { writeDurable } from '../files/durable-file.ts'
import { checkpointFile, monitorPath } from './log-reader.ts'
import type { WitnessKey } from './witness-key.ts'

export type Answer = { status: number; body: string; type?: string }
/** The checkpoint that was cosigned last, as a note with the signatures of the log and of the witness. */
type Cosigned = TreeHead & { readonly note: string; readonly cosignedAt: number }

export type Witness = {
  /** The keys of the log, all of one name. */
  readonly logKeys: readonly NoteKey[]
  /** Where the last cosigned checkpoint is served (C2SP tlog-witness). */
  readonly monitorPath: string
  latest(): Cosigned | undefined
  /** Answers an `add-checkpoint` request; a cosignature is stored before it is answered. */
  add(body: string): Answer
  addCheckpoint(asked: AddCheckpoint): Answer
}

type Settings = {
  directory: string
  logKeys: readonly NoteKey[]
  key: WitnessKey
  now: () => number
}
const EVIDENCE_MAX = 16

/**
 * A witness of one log, whose state is one file. Everything from the judgement to the stored file happens in one turn of the
 * event loop, so that two requests never see the same state.
 */
export function openWitness({ directory, logKeys, key, now }: Settings): Witness {
  const file = join(directory, 'latest.checkpoint')
  const stored = () => (existsSync(file) ? readCosigned(file, logKeys, key) : undefined)
  let latest = stored()

  const advance = (text: string, logLines: readonly string[]): Answer => {
    if (stored()?.note !== latest?.note) throw new Error(`another program writes ${file}`)
    const time = Math.max(Math.floor(now() / 1000), latest?.cosignedAt ?? 0)
    const line = key.cosign(text, time)
    try {
      writeDurable(file, signedNote(text, [...logLines, line]))
    } finally {
      // Also after a failure, since the file decides what was cosigned.
      latest = stored()
    }
    return { status: 200, body: line }
  }
  const addCheckpoint = (asked: AddCheckpoint): Answer => {
    const opened = openByAny(asked.note, logKeys)
    if (!opened.ok) return { status: faults[opened.fault], body: `${opened.fault}\n` }
    const { checkpoint, note, key: logKey } = opened
    const logLines = note.signatures
      .filter(({ name }) => name === logKey.name)
      .slice(0, 1)
      .map(({ signature }) => signatureLine(logKey, signature))
    const judged = judgeCheckpoint(latest, asked, checkpoint)
    if (judged.status === 200) return advance(note.text, logLines)
    if (judged.contradicts) keepEvidence(directory, signedNote(note.text, logLines))
    return judged.status === 409
      ? { status: 409, body: `${latest?.size ?? 0}\n`, type: 'text/x.tlog.size' }
      : { status: judged.status, body: `${judged.reason}\n` }
  }
  return {
    logKeys,
    monitorPath: monitorPath(nameOf(logKeys)),
    latest: () => latest,
    addCheckpoint,
    add: (body) => {
      const asked = readAddCheckpoint(body)
      return asked === undefined
        ? { status: 400, body: 'no add-checkpoint request\n' }
        : addCheckpoint(asked)
    },
  }
}

const nameOf = ([key]: readonly NoteKey[]): string => key?.name ?? ''

type Fault = Extract<OpenedCheckpoint, { ok: false }>['fault']
const faults: Record<Fault, number> = {
  malformed: 400,
  other_origin: 404,
  unknown_key: 403,
  bad_signature: 403,
}

/** Throws unless the file has a checkpoint with the signatures of the log and of the witness. */
function readCosigned(file: string, logKeys: readonly NoteKey[], key: WitnessKey): Cosigned {
  const text = readFileSync(file, 'utf8')
  const opened = openByAny(text, logKeys)
  const time = opened.ok ? cosignedAt(opened.note, key.publicKey) : undefined
  if (!opened.ok || time === undefined)
    throw new Error(`${file} is not signed by ${nameOf(logKeys)} and by this witness`)
  const { size, root } = opened.checkpoint
  return { size, root, note: text, cosignedAt: time }
}

/** Keeps a checkpoint that the log signed and that contradicts a cosigned one: together they prove what it did. */
function keepEvidence(directory: string, note: string): void {
  const folder = join(directory, 'evidence')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = checkpointFile(note)
  const kept = readdirSync(folder)
  if (kept.includes(name) || kept.length >= EVIDENCE_MAX) return
  writeDurable(join(folder, name), note)
}
