import { sha256 } from '@noble/hashes/sha2.js'
import { checkpointText, NOTE_ED25519, signatureLine, signedNote } from '#domain/log/checkpoint.ts'
import { inclusionProof, leafHash, merkleRoot, type TreeNode } from '#domain/log/merkle.ts'
import type { Reason } from '#domain/verification/reasons.ts'
import { claimsOf, goodToken, headerFor, signToken } from './artifacts.ts'
import { logKey, publicKeyOf, signBytes, strangers, type TestKey } from './keys.ts'
import { eachLeafChanged } from './mutations.ts'

const ORIGIN = 'api.agent-rails.example/log'
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A log of seven receipts, of which the good one is the fifth. */
const receipts = Array.from({ length: 7 }, (_, at) =>
  at === 4
    ? goodToken('receipt')
    : signToken(headerFor('receipt'), { ...claimsOf.receipt, sub: `po_${at}` }),
)
const entries = receipts.map((jws) => sha256(sha256(Buffer.from(jws))))
const leaves = entries.map(leafHash)
const root = merkleRoot(leaves)

const subtree = ({ level, index }: TreeNode): Uint8Array =>
  merkleRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level))

function lineBy(key: TestKey, text: string, name = ORIGIN): string {
  const noteKey = { name, type: NOTE_ED25519, key: publicKeyOf(key) } as const
  return signatureLine(noteKey, signBytes(key, text))
}
const noteBy = (key: TestKey, text: string, name?: string): string =>
  signedNote(text, [lineBy(key, text, name)])

const bundleText = checkpointText({ origin: ORIGIN, size: leaves.length, root })
export const goodBundle = {
  receipt: receipts[4] as string,
  entry: hex(entries[4] as Uint8Array),
  leaf_index: 4,
  tree_size: leaves.length,
  root: hex(root),
  path: inclusionProof(4, leaves.length, subtree).map(hex),
  checkpoint: noteBy(logKey, bundleText),
}

const goodLine = lineBy(logKey, bundleText)
const wrongLine = lineBy(logKey, `${bundleText}later\n`)
const strangersLine = lineBy(strangers[0] as TestKey, bundleText)
/** The last character of base64 with a bit that it leaves at zero. */
const spareLine = goodLine.replace(/.(?==)/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))
const noteOf = (...lines: string[]): string => signedNote(bundleText, lines)

type BundleCase = [name: string, artifact: unknown, reason: Reason | null, keys?: string]

/** What becomes of a bundle by its parts and by the keys of the log. */
export function bundleCases(): BundleCase[] {
  const [head = '', body = ''] = goodBundle.receipt.split('.')
  const otherRoot = checkpointText({ origin: ORIGIN, size: 7, root: sha256(root) })
  const with_ = (more: object) => ({ ...goodBundle, ...more })
  const pathReason: Reason = 'not_included'
  const changes: Record<string, Reason> = {
    receipt: 'malformed',
    entry: 'bundle_mismatch',
    leaf_index: pathReason,
    tree_size: 'bundle_mismatch',
    root: 'bundle_mismatch',
    checkpoint: 'malformed',
  }
  return [
    ['good', goodBundle, null],
    ['with keys of its own', with_({ keys: [], log_key: 'x', cose_receipt: '' }), null],
    ['keys: log retired', goodBundle, null, 'with_retired_log'],
    ['keys: log not active', goodBundle, 'log_key_unknown', 'with_published_log'],
    ['keys: log of a stranger', goodBundle, 'log_key_unknown', 'with_log_of_a_stranger'],
    ['keys: no log', goodBundle, 'log_key_unknown', 'without_log'],
    ['the receipt alone', { receipt: goodBundle.receipt }, 'malformed'],
    ['another receipt of the log', with_({ receipt: receipts[0] }), 'bundle_mismatch'],
    [
      'a receipt with another signature',
      with_({ receipt: `${head}.${body}.${'A'.repeat(86)}` }),
      'signature_invalid',
    ],
    [
      'a receipt with a line break at its end',
      with_({ receipt: `${goodBundle.receipt}\n` }),
      'malformed',
    ],
    [
      'a checkpoint with another root',
      with_({ checkpoint: noteBy(logKey, otherRoot) }),
      'bundle_mismatch',
    ],
    [
      'another root, with its checkpoint',
      with_({ checkpoint: noteBy(logKey, otherRoot), root: hex(sha256(root)) }),
      'not_included',
    ],
    ['a checkpoint signed twice', with_({ checkpoint: noteOf(goodLine, goodLine) }), null],
    ['signed by a stranger too', with_({ checkpoint: noteOf(strangersLine, goodLine) }), null],
    [
      'signed twice, the second time by no one',
      with_({ checkpoint: noteOf(goodLine, wrongLine) }),
      'checkpoint_invalid',
    ],
    [
      'signed five times',
      with_({ checkpoint: noteOf(...Array(5).fill(goodLine)) }),
      'checkpoint_invalid',
    ],
    ['a signature with a bit to spare', with_({ checkpoint: noteOf(spareLine) }), 'malformed'],
    [
      'a checkpoint with a control character',
      with_({ checkpoint: noteBy(logKey, `${bundleText}\u0085\n`) }),
      'malformed',
    ],
    ['a checkpoint signed by a receipt', with_({ checkpoint: goodBundle.receipt }), 'malformed'],
    ['a checkpoint without a signature', with_({ checkpoint: `${bundleText}\n` }), 'malformed'],
    [
      'a checkpoint under another name',
      with_({ checkpoint: noteBy(logKey, bundleText, 'other.example') }),
      'log_key_unknown',
    ],
    [
      'a checkpoint with its size changed',
      with_({ checkpoint: goodBundle.checkpoint.replace('\n7\n', '\n8\n') }),
      'checkpoint_invalid',
    ],
    ['a path that is too short', with_({ path: goodBundle.path.slice(1) }), 'not_included'],
    [
      'a path that is too long',
      with_({ path: [...goodBundle.path, goodBundle.root] }),
      'not_included',
    ],
    ['a path of 64 hashes', with_({ path: Array(64).fill(goodBundle.root) }), 'malformed'],
    ['a leaf beyond the tree', with_({ leaf_index: 7 }), 'not_included'],
    ['a negative leaf', with_({ leaf_index: -1 }), 'malformed'],
    ...eachLeafChanged(goodBundle).map(
      ({ path, value }): BundleCase => [`${path} changed`, value, changes[path] ?? pathReason],
    ),
  ]
}
