import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'
import { canonicalJson } from '../../core/canonical-json.ts'
import { leafHash } from '../../log/merkle.ts'
import { decodeText, type Encoding } from '../input/encoding.ts'
import type { Part } from '../text/words.ts'
import { dayOf, endOf, startOf } from '../values/calendar.ts'
import type { Section } from './profiles.ts'
import type { Item, ManifestEntry } from './schema.ts'
import { stateOf, type TextState } from './state.ts'
import { type Read, readText } from './statements.ts'

/** The text of an item; `pointer` is null where it is not a string of the input. */
export type ItemText = Read & {
  text: string
  pointer: string | null
  /** How the bytes of `content_base64` were read. */
  encoding: Encoding
  state: TextState
  at: Part | null
}

/** An item as the packet has it: its digests, its dates and its text. */
export type InspectedItem = {
  item: Item
  /** The section that it is in; undefined where the packet has none of that key. */
  section: Section | undefined
  /** Pointer to it, and to its name. */
  place: string
  cited: { pointer: string; quote: string }
  sealed: Pick<
    ManifestEntry,
    'name' | 'section' | 'sha256' | 'bytes' | 'issued_at' | 'expires_at' | 'source'
  >
  leaf: Uint8Array
  digest: ManifestEntry['digest']
  validity: ManifestEntry['validity']
  /** Null where there is no content, or none that is text. */
  read: ItemText | null
  owner: string | null
  approvedBy: string | null
}

/** Reads one item at its place: its real digest and size, whether its dates hold on the packet's, and what its text says. */
export function inspectItem(
  item: Item,
  index: number,
  section: Section | undefined,
  asOf: string | undefined,
): InspectedItem {
  const content = contentOf(item)
  // The service computed the digest of an upload; without a text, the file is only a claim.
  const uploaded = item.extracted_text === undefined ? undefined : item.upload?.sha256
  const computed = content === undefined ? uploaded : bytesToHex(sha256(content))
  const digest = item.sha256 ?? computed ?? item.upload?.sha256
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
  const place = `/items/${index}`
  const read = textOf(item, place, content)
  return {
    item,
    section,
    place,
    cited: { pointer: `${place}/name`, quote: item.name },
    sealed,
    leaf: leafHash(utf8ToBytes(canonicalJson(sealed))),
    digest: digestState(item.sha256, computed),
    validity: validityOf(item, section?.maxAgeDays ?? null, asOf),
    read,
    owner: item.owner ?? factOf(read, owners),
    approvedBy: item.approved_by ?? factOf(read, approvers),
  }
}

export const owners: readonly string[] = [
  'owner',
  'document_owner',
  'policy_owner',
  'control_owner',
]
export const approvers: readonly string[] = ['approved_by', 'approver']

/** The value that a text gives under one of some names; null where it gives none, or a placeholder. */
export function factOf(read: ItemText | null, keys: readonly string[]): string | null {
  const fact = read?.facts.find(({ key, value }) => keys.includes(key) && /\p{L}{2}/u.test(value))
  return fact === undefined || stateOf(fact.value).state === 'placeholder' ? null : fact.value
}

function textOf(item: Item, place: string, content: Uint8Array | undefined): ItemText | null {
  if (item.extracted_text !== undefined)
    return readAt(item.extracted_text, `${place}/extracted_text`)
  if (item.content !== undefined) return readAt(item.content, `${place}/content`)
  const decoded = content && decodeText(content)
  return decoded === undefined || isBinary(decoded.text)
    ? null
    : readAt(decoded.text, null, decoded.encoding)
}

const readAt = (text: string, pointer: string | null, encoding: Encoding = 'utf-8'): ItemText => ({
  ...readText(text),
  ...stateOf(text),
  text,
  pointer,
  encoding,
})

const isBinary = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a text has none of them, and many files do
  /[\x00-\x08\x0e-\x1f]/.test(text) || text.startsWith('%PDF-')

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
