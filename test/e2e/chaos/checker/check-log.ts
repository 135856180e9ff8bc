import { createHash } from 'node:crypto'
import type { Complaint, LeafFact, Verdict } from './facts.ts'
import { logEntryOf } from './identity.ts'

/** Every receipt is one leaf of the log, nothing else is, and each signed root is that of its first leaves (RFC 9162). */
export const checkLog: Verdict = ({ store: { receipts, logLeaves, logCheckpoints } }) => {
  const complaints: Complaint[] = []
  const complain = (as: Complaint['as'], what: string, evidence: unknown) =>
    complaints.push({ as, what, evidence })
  const entries = new Set(logLeaves.map(({ entry }) => entry))
  const known = new Set(receipts.map(({ jws }) => logEntryOf(jws)))
  for (const { jws, receipt_id, kind } of receipts)
    if (!entries.has(logEntryOf(jws)))
      complain('lost', 'a receipt is not in the log', [receipt_id, kind])
  for (const { idx, entry } of logLeaves)
    if (!known.has(entry))
      complain('disagreements', 'a leaf of the log is no receipt', [idx, entry])
  if (entries.size !== logLeaves.length)
    complain('duplicates', 'a receipt is in the log twice', logLeaves.length - entries.size)
  if (logLeaves.some(({ idx }, place) => Number(idx) !== place))
    complain('disagreements', 'a leaf of the log is missing', logLeaves.length)
  const roots = rootsOf(logLeaves)
  for (const { size, root } of logCheckpoints)
    if (roots[Number(size)] !== root)
      complain('disagreements', 'a checkpoint has another root than its leaves', [size, root])
  if (Number(logCheckpoints.at(-1)?.size ?? 0) !== logLeaves.length)
    complain('disagreements', 'the last checkpoint has not all leaves', logLeaves.length)
  return complaints
}

/** The root of each tree, by its size: of no leaf, the first leaf, the first two and so on. */
export function rootsOf(leaves: readonly LeafFact[]): string[] {
  const subtrees: { height: number; hash: Buffer }[] = []
  return [undefined, ...leaves].map((leaf) => {
    if (leaf !== undefined) {
      let grown = { height: 0, hash: hashOf([0], Buffer.from(leaf.entry, 'hex')) }
      while (subtrees.at(-1)?.height === grown.height) {
        const left = subtrees.pop()?.hash ?? Buffer.alloc(0)
        grown = { height: grown.height + 1, hash: hashOf([1], left, grown.hash) }
      }
      subtrees.push(grown)
    }
    const hashes = subtrees.map(({ hash }) => hash).reverse()
    const [smallest = hashOf([]), ...larger] = hashes
    return larger.reduce((right, left) => hashOf([1], left, right), smallest).toString('hex')
  })
}

const hashOf = (prefix: number[], ...parts: Buffer[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat([Buffer.from(prefix), ...parts]))
    .digest()
