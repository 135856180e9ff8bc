import { bytesToHex } from '@noble/hashes/utils.js'
import { merkleRoot, nodeHash } from './merkle.ts'

/** How long a receipt may wait for its place in the log, in seconds. */
const MERGE_DELAY_S = 60

/** A root for a size, as one source has it: a checkpoint that the log signed, or what its tiles lead to. */
export type SeenRoot = {
  readonly size: number
  /** Hex. */
  readonly root: string
  /** Who showed it. */
  readonly from: string
  /** When a witness cosigned it, in Unix seconds; null without a good cosignature. */
  readonly cosignedAt: number | null
}

/** A receipt that the service signed, and where the log has it. */
export type SeenReceipt = {
  readonly receiptId: string
  /** When it was issued, in Unix seconds. */
  readonly issuedAt: number
  /** The index that a kept proof gives it, verified against a checkpoint of the log; null without one. */
  readonly keptIndex: number | null
  /** Its index among the leaves that the log serves; null where it is not among them. */
  readonly index: number | null
}

export type Evidence = {
  /** When the log was asked, in Unix seconds. */
  readonly askedAt: number
  /** The number of leaves that it has shown then. */
  readonly size: number
  readonly roots: readonly SeenRoot[]
  readonly receipts: readonly SeenReceipt[]
}

type Deception = 'split_view' | 'rewritten_leaf' | 'dropped_leaf' | 'back_dated_leaf'
export type Finding = {
  readonly deception: Deception
  /** The receipt, or the size of the tree. */
  readonly subject: string
  readonly detail: string
}

/** What the log did wrong, by signatures that it cannot deny; nothing of an honest log. */
export function judgeLog(evidence: Evidence): Finding[] {
  const { roots, receipts } = evidence
  const latestBefore = latestCosignatures(roots)
  return [
    ...splitViews(roots),
    ...withdrawn(evidence),
    ...receipts.flatMap((receipt) => [
      ...missing(receipt, evidence.askedAt),
      ...backDated(receipt, latestBefore),
    ]),
  ]
}

/** Two roots for one size: the log has shown different trees, and neither is the beginning of the other. */
function splitViews(roots: readonly SeenRoot[]): Finding[] {
  const first = new Map<number, SeenRoot>()
  const found = new Map<number, Finding>()
  for (const seen of roots) {
    const { size, root, from } = seen
    const before = first.get(size) ?? seen
    first.set(size, before)
    if (before.root !== root && !found.has(size))
      found.set(size, {
        deception: 'split_view',
        subject: `size ${size}`,
        detail: `${before.from}: root ${before.root}; ${from}: root ${root}`,
      })
  }
  return [...found.values()]
}

/** Signed trees that are larger than the one that is shown. What was cosigned just now may not be served everywhere yet. */
function withdrawn({ roots, size: shown, askedAt }: Evidence): Finding[] {
  return roots
    .filter(
      ({ size, cosignedAt }) =>
        size > shown && (cosignedAt === null || askedAt - cosignedAt > MERGE_DELAY_S),
    )
    .map(({ size, from }) => ({
      deception: 'split_view',
      subject: `size ${size}`,
      detail: `${from}: the log signed it, and shows ${shown} leaves now`,
    }))
}

function missing(receipt: SeenReceipt, askedAt: number): Finding[] {
  const { receiptId, issuedAt, keptIndex, index } = receipt
  if (keptIndex !== null && index !== keptIndex)
    return [
      {
        deception: 'rewritten_leaf',
        subject: receiptId,
        detail: `the log proved it at index ${keptIndex}, and has another leaf there now`,
      },
    ]
  if (index !== null || askedAt - issuedAt <= MERGE_DELAY_S) return []
  return [
    {
      deception: 'dropped_leaf',
      subject: receiptId,
      detail: `it was issued ${askedAt - issuedAt} s ago, and is in no leaf`,
    },
  ]
}

/** A receipt that a cosigned checkpoint should have contained by its own date, and that came later. */
function backDated(receipt: SeenReceipt, latestBefore: (index: number) => number): Finding[] {
  const { receiptId, issuedAt, keptIndex } = receipt
  const index = keptIndex ?? receipt.index
  const late = index === null ? 0 : latestBefore(index) - issuedAt
  if (late <= MERGE_DELAY_S) return []
  return [
    {
      deception: 'back_dated_leaf',
      subject: receiptId,
      detail: `it dates itself ${late} s before a cosigned checkpoint that ends before index ${index}`,
    },
  ]
}

/** When the last checkpoint without this index was cosigned; 0 where none was. */
function latestCosignatures(roots: readonly SeenRoot[]): (index: number) => number {
  const times: { size: number; latest: number }[] = []
  const cosigned = roots.filter(({ cosignedAt }) => cosignedAt !== null)
  for (const { size, cosignedAt } of cosigned.toSorted((one, other) => one.size - other.size))
    times.push({ size, latest: Math.max(times.at(-1)?.latest ?? 0, cosignedAt ?? 0) })
  return (index) => {
    // The number of checkpoints that end at or before the index.
    let [low, high] = [0, times.length]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((times[middle]?.size ?? 0) <= index) low = middle + 1
      else high = middle
    }
    return times[low - 1]?.latest ?? 0
  }
}

/** What one pass over all leaf hashes of a log is for: the roots at some sizes, and the places of some leaves. */
export type LeafPass = {
  /** Takes the next leaf hashes in their order. */
  add(leaves: readonly Uint8Array[]): void
  readonly size: () => number
  /** The root of each asked size that was reached, hex. */
  readonly roots: ReadonlyMap<number, string>
  /** The index of each asked leaf hash (hex) that was seen. */
  readonly places: ReadonlyMap<string, number>
}

/** Starts a pass. It keeps one hash for each level of the tree, however many leaves there are. */
export function startLeafPass(sizes: Iterable<number>, leaves: Iterable<string>): LeafPass {
  const wantedSizes = new Set(sizes)
  const wantedLeaves = new Set(leaves)
  const roots = new Map<number, string>()
  const places = new Map<string, number>()
  /** Complete subtrees from the left, largest first. */
  const subtrees: { count: number; hash: Uint8Array }[] = []
  let size = 0

  const keepRoot = (): void => {
    const hashes = subtrees.map(({ hash }) => hash)
    const root =
      hashes.length === 0
        ? merkleRoot([])
        : hashes.reduceRight((right, left) => nodeHash(left, right))
    if (wantedSizes.has(size)) roots.set(size, bytesToHex(root))
  }
  const addOne = (leaf: Uint8Array): void => {
    if (wantedLeaves.size > 0) {
      const hex = bytesToHex(leaf)
      if (wantedLeaves.has(hex) && !places.has(hex)) places.set(hex, size)
    }
    let last = { count: 1, hash: leaf }
    while (subtrees.at(-1)?.count === last.count) {
      const left = subtrees.pop() ?? last
      last = { count: 2 * last.count, hash: nodeHash(left.hash, last.hash) }
    }
    subtrees.push(last)
    size += 1
    if (wantedSizes.has(size)) keepRoot()
  }
  keepRoot()
  return { add: (given) => given.forEach(addOne), size: () => size, roots, places }
}
