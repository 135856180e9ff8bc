import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { canonicalJson } from '../../core/canonical-json.ts'
import { leafHash } from '../../log/merkle.ts'
import { dayOf, endOf, startOf } from '../calendar.ts'
import type { Citation, Finding, Gap } from '../rail.ts'
import type { Item, ManifestEntry } from './schema.ts'

/** An item as the packet has it: its line of the manifest, where it stands, and the digest that was claimed for it. */
export type InspectedItem = {
  entry: ManifestEntry
  /** Pointer to it, and to its name. */
  place: string
  cited: { pointer: string; quote: string }
  claimed: string | null
  leaf: Uint8Array
}

/** Decision: evidence that ends within this time is reported before it does. */
const EXPIRES_SOON_DAYS = 30

/** Reads one item at its place: its real digest and size, and whether its dates hold on the packet's. */
export function inspectItem(
  item: Item,
  index: number,
  maxAgeDays: number | null,
  asOf: string | undefined,
): InspectedItem {
  const content = contentOf(item)
  const computed = content === undefined ? undefined : bytesToHex(sha256(content))
  const digest = item.sha256 ?? computed
  if (digest === undefined) throw new TypeError('an item has neither content nor digest')
  const sealed = {
    name: item.name,
    section: item.section,
    sha256: computed ?? digest,
    bytes: content?.length ?? item.bytes ?? null,
    issued_at: item.issued_at ?? null,
    expires_at: item.expires_at ?? null,
    source: item.source ?? null,
  }
  const leaf = leafHash(utf8ToBytes(canonicalJson(sealed)))
  return {
    entry: {
      ...sealed,
      digest: digestState(item.sha256, computed),
      validity: validityOf(item, maxAgeDays, asOf),
      leaf_sha256: bytesToHex(leaf),
    },
    place: `/items/${index}`,
    cited: { pointer: `/items/${index}/name`, quote: item.name },
    claimed: item.sha256 ?? null,
    leaf,
  }
}

/** What is wrong with one item, and what about it is unknown. */
export function checkItem(
  item: Item,
  { entry, place, cited }: InspectedItem,
  asOf: string | undefined,
): { findings: Finding[]; gaps: Gap[] } {
  const findings: Finding[] = []
  const gaps: Gap[] = []
  const at = (field: keyof Item): Citation[] => [
    { pointer: `${place}/${field}`, quote: String(item[field]) },
  ]
  const find = (code: string, detail: string, citations: Citation[]) =>
    findings.push({ code, detail, citations })
  const whole = `“${item.name}” in ${item.section}`
  if (entry.digest === 'mismatch')
    find(
      'digest_mismatch',
      `the content of ${whole} has SHA-256 ${entry.sha256}, not the one given`,
      at('sha256'),
    )
  if (item.bytes !== undefined && item.bytes !== entry.bytes)
    find(
      'bytes_mismatch',
      `the content of ${whole} has ${entry.bytes} bytes, not ${item.bytes}`,
      at('bytes'),
    )
  if (entry.digest === 'claimed')
    gaps.push({
      code: 'content_not_supplied',
      detail: `the digest of ${whole} could not be checked`,
      citations: [cited],
    })
  if (entry.validity === 'expired')
    find('expired', `${whole} expired ${item.expires_at}`, at('expires_at'))
  if (entry.validity === 'stale')
    find('stale', `${whole} of ${item.issued_at} is too old`, at('issued_at'))
  if (entry.validity === 'future')
    find('issued_in_future', `${whole} is dated after the packet`, at('issued_at'))
  if (entry.validity === 'undated')
    gaps.push({
      code: 'undated',
      detail: `${whole} has no date to tell its age by`,
      citations: [cited],
    })
  if (
    item.issued_at !== undefined &&
    item.expires_at !== undefined &&
    startOf(item.issued_at) >= endOf(item.expires_at)
  )
    find('dates_reversed', `${whole} is over before it begins`, [
      ...at('issued_at'),
      ...at('expires_at'),
    ])
  const soon =
    item.expires_at !== undefined && asOf !== undefined && dayOf(item.expires_at) - dayOf(asOf)
  if (soon !== false && entry.validity !== 'expired' && soon <= EXPIRES_SOON_DAYS)
    find(
      'expires_soon',
      `${whole} expires within ${EXPIRES_SOON_DAYS} days, on ${item.expires_at}`,
      at('expires_at'),
    )
  return { findings, gaps }
}

/** 2: checked against its content and current; 1: its digest is only claimed, or its age is unknown; 0: of no use. */
export function pointsOf({ digest, validity }: ManifestEntry): 0 | 1 | 2 {
  if (
    digest === 'mismatch' ||
    validity === 'expired' ||
    validity === 'stale' ||
    validity === 'future'
  )
    return 0
  return digest !== 'claimed' && validity === 'current' ? 2 : 1
}

function contentOf(item: Item): Uint8Array | undefined {
  if (item.content !== undefined) return utf8ToBytes(item.content)
  return item.content_base64 === undefined ? undefined : base64.decode(item.content_base64)
}

function digestState(
  claimed: string | undefined,
  computed: string | undefined,
): ManifestEntry['digest'] {
  if (computed === undefined) return 'claimed'
  if (claimed === undefined) return 'computed'
  return claimed === computed ? 'verified' : 'mismatch'
}

function validityOf(
  item: Item,
  maxAgeDays: number | null,
  asOf: string | undefined,
): ManifestEntry['validity'] {
  if (asOf === undefined) return 'unjudged'
  if (item.expires_at !== undefined && endOf(item.expires_at) <= startOf(asOf)) return 'expired'
  if (item.issued_at === undefined) return maxAgeDays === null ? 'current' : 'undated'
  const ageDays = dayOf(asOf) - dayOf(item.issued_at)
  if (ageDays < 0) return 'future'
  return maxAgeDays !== null && ageDays > maxAgeDays ? 'stale' : 'current'
}
