import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type KeptProof, parseKeptProof } from '#domain/log/kept-proof.ts'

const FILE_BYTES_MAX = 64 * 1024 * 1024
const DEPTH_MAX = 32

/** A receipt with its proof, where one was kept as NAME.tlog-proof next to NAME.jws; neither is verified. */
export type KeptReceipt = {
  readonly file: string
  readonly jws: string
  readonly proof?: KeptProof
}
export type Material = {
  /** Signed notes, not verified. */
  readonly checkpoints: readonly { readonly file: string; readonly note: string }[]
  readonly receipts: readonly KeptReceipt[]
  /** The verifier keys of the log, if a witness has kept them here. */
  readonly logKeys: readonly string[]
  readonly ignored: readonly Ignored[]
}
export type Ignored = { readonly file: string; readonly reason: string }

/**
 * Reads a directory with what is below it: checkpoints (`.checkpoint`), receipts (`.jws`, or `.json` with `jws` members or
 * bundles, such as a saved answer), and proofs (`.tlog-proof`). The directory of a witness is one.
 */
export function readMaterial(directory: string): Material {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted()
  const ignored: Ignored[] = []
  const texts = new Map<string, string>()
  for (const file of files.filter((name) =>
    /\.(checkpoint|jws|json|tlog-proof|vkey)$/.test(name),
  )) {
    const { size, isFile } = statOf(join(directory, file))
    if (!isFile) ignored.push({ file, reason: 'it is no file' })
    else if (size <= FILE_BYTES_MAX) texts.set(file, readFileSync(join(directory, file), 'utf8'))
    else ignored.push({ file, reason: `it has over ${FILE_BYTES_MAX} bytes` })
  }
  const ending = (end: string) => [...texts].filter(([file]) => file.endsWith(end))
  const proofs = new Map(ending('.tlog-proof').map(([file, text]) => [file, parseKeptProof(text)]))
  for (const [file, proof] of proofs)
    if (proof === undefined) ignored.push({ file, reason: 'it is no tlog-proof' })
  const receipts = [
    ...ending('.jws').map(([file, text]) => {
      const proof = proofs.get(file.replace(/\.jws$/, '.tlog-proof'))
      return proof === undefined ? { file, jws: text.trim() } : { file, jws: text.trim(), proof }
    }),
    ...ending('.json').flatMap(([file, text]) => receiptsIn(file, text, ignored)),
  ]
  const proven = [...proofs]
  const checkpoints = [
    ...ending('.checkpoint').map(([file, note]) => ({ file, note })),
    ...proven.flatMap(([file, proof]) => (proof ? { file, note: proof.note } : [])),
    ...receipts.flatMap(({ file, proof }) =>
      proof && file.endsWith('.json') ? { file, note: proof.note } : [],
    ),
  ]
  const logKeys = ending('log.vkey').flatMap(([, text]) => text.trim().split('\n'))
  return { checkpoints, receipts, logKeys, ignored }
}

/** A link that leads nowhere is no file either. */
function statOf(path: string): { size: number; isFile: boolean } {
  const stat = statSync(path, { throwIfNoEntry: false })
  return { size: stat?.size ?? 0, isFile: stat?.isFile() === true }
}

function receiptsIn(file: string, text: string, ignored: Ignored[]): KeptReceipt[] {
  try {
    return findReceipts(file, JSON.parse(text))
  } catch {
    ignored.push({ file, reason: 'it is no JSON' })
    return []
  }
}

/** The receipts in a JSON value: `jws` members, and bundles, which have a proof. */
function findReceipts(file: string, value: unknown, depth = 0): KeptReceipt[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return []
  const { receipt, tlog_proof } = value as Record<string, unknown>
  if (typeof receipt === 'string' && typeof tlog_proof === 'string') {
    const proof = parseKeptProof(tlog_proof)
    return [proof === undefined ? { file, jws: receipt } : { file, jws: receipt, proof }]
  }
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'jws' && typeof inner === 'string'
      ? [{ file, jws: inner }]
      : findReceipts(file, inner, depth + 1),
  )
}
