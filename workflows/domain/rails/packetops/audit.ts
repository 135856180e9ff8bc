import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Audit } from '../rail.ts'
import { differs, firstOfAll, firstWrong, planned } from '../work/audit.ts'
import type { Item, ManifestEntry, PacketResult } from './schema.ts'

const checks = {
  digests_recomputed: 'the digest of each entry, against the content of an item of the input',
  root_recomputed: 'the Merkle root, against the leaves hashed pair by pair',
  items_sealed: 'the entries of the manifest, against the items of the input',
  score_adds_up: 'the readiness, against the points of the required sections',
  missing_named: 'the missing sections, against the sections that no item is in',
}

/** Seals a packet again, level by level, and counts its sections again. */
export const packetopsAudit: Audit<PacketResult> = {
  plan: () => planned(checks),
  open() {
    const items: Item[] = []
    return {
      take: (_list, row) => void items.push(row as Item),
      close: ({ result }) => ({
        digests_recomputed: digestsFault(items, result),
        root_recomputed: differs('the Merkle root', result.merkle_root, rootOf(result.manifest)),
        items_sealed: differs('the names', namesOf(result.manifest), namesOf(items)),
        score_adds_up: scoreFault(result),
        missing_named: missingFault(items, result),
      }),
    }
  },
}

const namesOf = (all: readonly { section: string; name: string }[]): string =>
  canonicalJson(all.map(({ section, name }) => canonicalJson([section, name])).sort())

function digestsFault(items: readonly Item[], { manifest }: PacketResult): string | null {
  const digests = new Map<string, Set<string>>()
  for (const item of items) {
    const key = canonicalJson([item.section, item.name])
    digests.set(key, (digests.get(key) ?? new Set()).add(digestOfItem(item)))
  }
  return firstWrong(manifest, ({ section, name, sha256: digest }) => {
    const own = digests.get(canonicalJson([section, name]))
    return own?.has(digest) ? null : `the content of “${name}” in ${section} has another digest`
  })
}

/** The digest of an item is that of its file, where it has one. */
function digestOfItem({ upload, content, content_base64, sha256: claimed = '' }: Item): string {
  if (upload !== undefined) return upload.sha256
  if (content !== undefined) return bytesToHex(sha256(utf8ToBytes(content)))
  return content_base64 === undefined ? claimed : bytesToHex(sha256(base64.decode(content_base64)))
}

/** RFC 6962 from the leaves upwards: a node without a neighbour moves up as it is. */
function rootOf(manifest: readonly ManifestEntry[]): string {
  let level = manifest.map(({ name, section, sha256: digest, bytes, ...dates }) => {
    const { issued_at, expires_at, source } = dates
    const sealed = { name, section, sha256: digest, bytes, issued_at, expires_at, source }
    return sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(canonicalJson(sealed))))
  })
  const leaves = manifest.map(({ leaf_sha256 }) => hexToBytes(leaf_sha256))
  if (level.some((leaf, at) => bytesToHex(leaf) !== bytesToHex(leaves[at] ?? leaf)))
    return 'another'
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left = new Uint8Array(), right] = level.slice(at, at + 2)
      above.push(right === undefined ? left : sha256(concatBytes(Uint8Array.of(1), left, right)))
    }
    level = above
  }
  return bytesToHex(level[0] ?? sha256(new Uint8Array()))
}

function scoreFault({ section_coverage, readiness, complete, ...rest }: PacketResult) {
  const required = section_coverage.filter((section) => section.required)
  const points = required.reduce((sum, section) => sum + section.points, 0)
  const score = required.length === 0 ? 0 : Math.floor((points * 50) / required.length)
  const isWhole = required.length > 0 && points === 2 * required.length
  return firstOfAll(
    differs('the readiness', readiness.score, score),
    differs('complete', complete, isWhole && rest.hash_mismatches.length === 0),
  )
}

function missingFault(items: readonly Item[], { section_coverage, gaps }: PacketResult) {
  const there = new Set(items.map(({ section }) => section))
  const missing = section_coverage
    .filter(({ required, section }) => required && !there.has(section))
    .map(({ section }) => section)
  return differs('the list of missing sections', gaps.toSorted().join(), missing.sort().join())
}
