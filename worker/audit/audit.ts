import { join } from 'node:path'
import { bytesToHex } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import {
  type Finding,
  judgeLog,
  type LeafPass,
  type SeenReceipt,
  type SeenRoot,
  startLeafPass,
} from '#domain/log/audit.ts'
import { entryOf } from '#domain/log/bundle.ts'
import {
  cosignedAt,
  NOTE_COSIGNATURE,
  NOTE_ED25519,
  type NoteKey,
  openByAny,
  parseVerifierKey,
} from '#domain/log/checkpoint.ts'
import { leafHash, verifyInclusion } from '#domain/log/merkle.ts'
import { type Continuation, lossOf } from '#domain/log/origin.ts'
import { KeySet } from '#domain/receipts/key-set.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { verifySigned } from '#domain/verification/signed.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import { writeDurable } from '../files/durable-file.ts'
import {
  checkpointFile,
  type LogReader,
  monitorUrl,
  openLogReader,
  readNote,
  readPublic,
} from '../witness/log-reader.ts'
import { type Ignored, type KeptReceipt, type Material, readMaterial } from './material.ts'

/** Whom the auditor believes: the log and the witnesses by their keys, and the receipts by a key set. */
type Trusted = {
  readonly logKeys: readonly NoteKey[]
  readonly witnessKeys: readonly NoteKey[]
  readonly keys: KeySet
}
export type Audit = {
  readonly verdict: 'honest' | 'deceived'
  readonly findings: readonly Finding[]
  /** How much was compared. */
  readonly leaves: number
  readonly checkpoints: number
  readonly cosigned: number
  readonly receipts: number
  readonly ignored: readonly Ignored[]
}
type Asked = { log: LogReader; witnesses: readonly string[]; material: Material; now: number }

/**
 * Reads all leaves of a log and holds them against what was kept of it. A note that the log did not sign and a receipt that the
 * service did not sign accuse it of nothing.
 */
async function auditLog(
  trusted: Trusted,
  { log, witnesses, material, now }: Asked,
): Promise<Audit & { readonly note: string }> {
  const ignored: Ignored[] = [...material.ignored]
  // Before the log is read, so that it cannot be behind what they show.
  const shown = await Promise.all(witnesses.map((url) => ofWitness(url, trusted.logKeys)))
  const note = await log.checkpoint()
  const current = rootIn(note, 'the log', trusted)
  if (current === undefined)
    throw new Error(`the log serves no checkpoint of ${trusted.logKeys[0]?.name}`)
  const kept = [...material.checkpoints, ...shown].flatMap(({ file, note: text }) => {
    const root = rootIn(text, file, trusted)
    const reason =
      root === undefined ? 'the log did not sign it' : reasonOfLoss(root, current.origin)
    if (reason !== undefined) ignored.push({ file, reason })
    return root === undefined || reason !== undefined ? [] : root
  })
  const receipts = material.receipts.flatMap((receipt) => {
    const read = readReceipt(receipt, trusted)
    if (typeof read === 'string') ignored.push({ file: receipt.file, reason: read })
    return typeof read === 'string' ? [] : read
  })
  const roots = [current, ...kept]
  const pass = startLeafPass(
    roots.map(({ size }) => size),
    receipts.map(({ leaf }) => leaf),
  )
  for await (const leaves of log.leaves(current.size)) pass.add(leaves)
  const seen = receipts.flatMap(({ leaf, file, provenBy, ...of }): SeenReceipt[] => {
    const index = pass.places.get(leaf) ?? null
    const loss =
      index === null && of.keptIndex !== null
        ? lossOf(current.origin, { origin: provenBy, index: of.keptIndex })
        : undefined
    if (loss !== undefined)
      ignored.push({ file, reason: `it is not in this log: a leaf of ${lostLeaves(loss)}` })
    return loss === undefined ? [{ ...of, index }] : []
  })
  const evidence = { askedAt: Math.floor(now / 1000), size: current.size, receipts: seen }
  const findings = judgeLog({ ...evidence, roots: [...rootsOf(pass), ...roots] })
  return {
    verdict: findings.length === 0 ? 'honest' : 'deceived',
    findings,
    leaves: pass.size(),
    checkpoints: roots.length,
    cosigned: roots.filter((root) => root.cosignedAt !== null).length,
    receipts: seen.length,
    ignored,
    note,
  }
}

/** Keeps the checkpoint that the log has shown, for the next audit. */
function keepCheckpoint(directory: string, note: string): void {
  writeDurable(join(directory, checkpointFile(note)), note)
}

const rootsOf = ({ roots }: LeafPass): SeenRoot[] =>
  [...roots].map(([size, root]) => ({ size, root, from: 'its tiles', cosignedAt: null }))

/** A root with the origin of its checkpoint, and the SHA-256 of its text in hex. */
type Root = SeenRoot & { origin: string; digest: string }

/** What a signed checkpoint says; nothing where the log did not sign it. */
function rootIn(text: string, from: string, { logKeys, witnessKeys }: Trusted): Root | undefined {
  const opened = openByAny(text, logKeys)
  if (!opened.ok) return undefined
  const { origin, size, root } = opened.checkpoint
  const times = witnessKeys.flatMap((key) => cosignedAt(opened.note, key) ?? [])
  return {
    origin,
    digest: sha256Hex(opened.note.text),
    size,
    root: bytesToHex(root),
    from,
    cosignedAt: times.length === 0 ? null : Math.max(...times),
  }
}

/** The checkpoint that a witness serves for this log. */
async function ofWitness(
  url: string,
  [key]: readonly NoteKey[],
): Promise<{ file: string; note: string }> {
  return { file: url, note: await readNote(monitorUrl(url, key?.name ?? '')) }
}

/**
 * Why the tree of a checkpoint is not compared with the log of this origin: the log continues without some of its leaves. Of the size that
 * the log names, only the checkpoint that it names is lost.
 */
function reasonOfLoss({ origin, size, digest }: Root, current: string): string | undefined {
  const loss = lossOf(current, { origin, index: size - 1 })
  if (loss === undefined) return undefined
  if (size === loss.witnessed && digest !== loss.checkpoint) return undefined
  return `its tree has leaves of ${lostLeaves(loss)}`
}

const lostLeaves = ({ restored, witnessed }: Continuation): string =>
  `${restored} to ${witnessed - 1}, which the log has lost`

/** `provenBy` is the origin of the log whose checkpoint proves the index that was kept. */
type ReadReceipt = Omit<SeenReceipt, 'index'> & { leaf: string; file: string; provenBy: string }

/** A receipt of the service with its leaf, or why it counts for nothing. */
function readReceipt({ file, jws, proof }: KeptReceipt, trusted: Trusted): ReadReceipt | string {
  const signed = verifySigned(jws, RECEIPT_TYP, trusted.keys)
  if (!signed.ok) return signed.fault
  if (signed.standing === 'revoked') return `its key ${signed.key.kid} was revoked`
  const entry = entryOf(jws)
  const leaf = leafHash(entry)
  const opened = proof === undefined ? undefined : openByAny(proof.note, trusted.logKeys)
  const isProven =
    proof !== undefined &&
    opened?.ok === true &&
    verifyInclusion(
      { index: proof.index, size: opened.checkpoint.size, leaf, path: proof.path },
      opened.checkpoint.root,
    )
  return {
    receiptId: receiptId(jws),
    issuedAt: Number(signed.payload['iat']),
    keptIndex: isProven ? proof.index : null,
    provenBy: isProven ? opened.checkpoint.origin : '',
    leaf: bytesToHex(leaf),
    file,
  }
}

/** What the command takes. */
export type AuditOptions = {
  material: string
  logKey: string[]
  witnessKey: string[]
  witness: string[]
  keys?: string
  keep: boolean
}

/** Reads the material and the log, and judges; throws where something cannot be read. */
export async function runAudit(url: string, options: AuditOptions): Promise<Audit> {
  const material = readMaterial(options.material)
  const given = options.logKey.length > 0 ? options.logKey : material.logKeys
  if (given.length === 0) throw new Error('--log-key is needed: the material has no log.vkey')
  const trusted = {
    logKeys: given.map((text) => readKey(text, NOTE_ED25519)),
    witnessKeys: options.witnessKey.map((text) => readKey(text, NOTE_COSIGNATURE)),
    keys: options.keys === undefined ? await publicKeys(url) : readJsonFile(options.keys, KeySet),
  }
  const log = openLogReader(url)
  const asked = { log, witnesses: options.witness, material, now: Date.now() }
  const { note, ...audit } = await auditLog(trusted, asked)
  if (options.keep) keepCheckpoint(options.material, note)
  return audit
}

function readKey(text: string, type: NoteKey['type']): NoteKey {
  const key = parseVerifierKey(text)
  if (key?.type !== type) throw new Error(`${text} is no verifier key of this kind, NAME+ID+KEY`)
  return key
}

async function publicKeys(url: string): Promise<KeySet> {
  const path = new URL('/.well-known/jwks.json', url).href
  const bytes = await readPublic(path)
  return KeySet.parse(z.json().parse(JSON.parse(new TextDecoder().decode(bytes))))
}
