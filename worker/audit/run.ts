import { z } from 'zod'
import {
  NOTE_COSIGNATURE,
  NOTE_ED25519,
  type NoteKey,
  parseVerifierKey,
} from '#domain/log/checkpoint.ts'
import { KeySet } from '#domain/receipts/key-set.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import { openLogReader, readPublic } from '../witness/log-reader.ts'
import { type Audit, auditLog, keepCheckpoint } from './audit.ts'
import { readMaterial } from './material.ts'

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
