import { encodingNote } from '../input/encoding.ts'
import type { Citation, GapKind } from '../rail.ts'
import { stemsOf } from '../text/words.ts'
import { dayOf, endOf, startOf } from '../values/calendar.ts'
import { approvers, factOf, type InspectedItem, owners } from './item.ts'
import type { Item, PacketInput } from './schema.ts'

/** What is wrong with an item, or unknown about it (`gap` is its kind, null for a fault); `cap` is the most points that it leaves the item. */
export type Fault = {
  code: string
  cap: 0 | 1 | 2
  gap: GapKind | null
  detail: string
  citations: Citation[]
}

/** Decision: evidence that ends within this time is reported before it does. */
const EXPIRES_SOON_DAYS = 30

const fault = (code: string, cap: Fault['cap'], detail: string, citations: Citation[]): Fault => ({
  code,
  cap,
  gap: null,
  detail,
  citations,
})
/** What is unknown about an item is needed where its section is required. */
const gap = (one: InspectedItem, code: string, detail: string, citations: Citation[]): Fault => ({
  ...fault(code, 1, detail, citations),
  gap: one.section?.required === true ? 'needed' : 'advisory',
})

/** The name of an item in a sentence. */
export const named = ({ item }: Pick<InspectedItem, 'item'>): string =>
  `“${item.name}” in ${item.section}`

/** All faults of an item that can be seen without the other items. */
export function faultsOf(inspected: InspectedItem, packet: PacketInput): Fault[] {
  return [
    ...contentFaults(inspected),
    ...textFaults(inspected),
    ...dateFaults(inspected, packet.as_of),
    ...responsibilityFaults(inspected, packet),
  ]
}

const at = ({ item, place }: InspectedItem, field: keyof Item): Citation[] => [
  { pointer: `${place}/${field}`, quote: String(item[field]) },
]

function contentFaults(one: InspectedItem): Fault[] {
  const { item, sealed, digest, read, cited } = one
  const whole = named(one)
  const faults: Fault[] = []
  if (digest === 'mismatch')
    faults.push(
      fault(
        'digest_mismatch',
        0,
        `the content of ${whole} has SHA-256 ${sealed.sha256}, not the one given`,
        at(one, 'sha256'),
      ),
    )
  if (item.bytes !== undefined && item.bytes !== sealed.bytes)
    faults.push(
      fault(
        'bytes_mismatch',
        2,
        `the content of ${whole} has ${sealed.bytes} bytes, not ${item.bytes}`,
        at(one, 'bytes'),
      ),
    )
  if (digest === 'claimed')
    faults.push(
      gap(one, 'content_not_supplied', `the digest of ${whole} could not be checked`, [cited]),
    )
  else if (read === null)
    faults.push(
      gap(
        one,
        'content_not_read',
        `${whole} is not text, and extracted_text is not given: what it says is unknown`,
        [cited],
      ),
    )
  else if (read.encoding !== 'utf-8')
    faults.push(
      fault('encoding_read', 2, `the content of ${whole} is ${encodingNote(read.encoding)}`, [
        cited,
      ]),
    )
  return faults
}

/** Where a part of an item's text stands; its name where the text is not a string of the input. */
export function citedIn(
  { read, cited }: InspectedItem,
  { from, to }: { from: number; to: number },
): { pointer: string; quote: string } {
  if (read === null || read.pointer === null) return cited
  return { pointer: read.pointer, quote: read.text.slice(from, to) }
}

const states = {
  empty: { cap: 0, says: 'has no words' },
  placeholder: { cap: 0, says: 'is not filled in' },
  unfinished: { cap: 1, says: 'is not filled in everywhere' },
  thin: { cap: 1, says: 'has too few words to show anything' },
} as const

function textFaults(one: InspectedItem): Fault[] {
  const { read, cited, section, item } = one
  if (read === null) return []
  const whole = named(one)
  const faults: Fault[] = []
  if (read.state !== 'written') {
    const { cap, says } = states[read.state]
    const citation = read.at === null ? cited : citedIn(one, read.at)
    faults.push(fault(`content_${read.state}`, cap, `${whole} ${says}`, [citation]))
  }
  for (const { code, about, rows, from, to } of read.statements) {
    const words = read.text.slice(from, to)
    const times = rows > 1 ? `, ${rows} rows` : ''
    faults.push(
      fault(code, 0, `${whole} says by ${about}: ${words}${times}`, [citedIn(one, { from, to })]),
    )
  }
  const topics = stemsOf((section?.topics ?? []).join(' '))
  const said = new Set(stemsOf(`${read.text} ${item.name.replace(/[._-]/g, ' ')}`))
  const isJudged = topics.length > 0 && (read.state === 'written' || read.state === 'unfinished')
  if (isJudged && !topics.some((stem) => said.has(stem)))
    faults.push(fault('off_topic', 1, `${whole} has no word of what the section asks for`, [cited]))
  return faults
}

function dateFaults(one: InspectedItem, asOf: string | undefined): Fault[] {
  const { item, validity, cited } = one
  const whole = named(one)
  const faults: Fault[] = []
  if (validity === 'expired')
    faults.push(fault('expired', 0, `${whole} expired ${item.expires_at}`, at(one, 'expires_at')))
  if (validity === 'stale')
    faults.push(fault('stale', 0, `${whole} of ${item.issued_at} is too old`, at(one, 'issued_at')))
  if (validity === 'future')
    faults.push(
      fault('issued_in_future', 0, `${whole} is dated after the packet`, at(one, 'issued_at')),
    )
  if (validity === 'undated')
    faults.push(gap(one, 'undated', `${whole} has no date to tell its age by`, [cited]))
  if (
    item.issued_at !== undefined &&
    item.expires_at !== undefined &&
    startOf(item.issued_at) >= endOf(item.expires_at)
  )
    faults.push(
      fault('dates_reversed', 2, `${whole} is over before it begins`, [
        ...at(one, 'issued_at'),
        ...at(one, 'expires_at'),
      ]),
    )
  const soon =
    item.expires_at !== undefined && asOf !== undefined && dayOf(item.expires_at) - dayOf(asOf)
  if (soon !== false && validity !== 'expired' && soon <= EXPIRES_SOON_DAYS)
    faults.push(
      fault(
        'expires_soon',
        2,
        `${whole} expires within ${EXPIRES_SOON_DAYS} days, on ${item.expires_at}`,
        at(one, 'expires_at'),
      ),
    )
  return faults
}

const sameName = (one: string, two: string) => stripped(one) === stripped(two)
const stripped = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function responsibilityFaults(one: InspectedItem, packet: PacketInput): Fault[] {
  const { item, owner, approvedBy, section, read, cited } = one
  const needs = section?.needs ?? []
  const whole = named(one)
  const faults: Fault[] = []
  if (needs.includes('owner') && owner === null)
    faults.push(fault('owner_missing', 1, `${whole} has no owner`, [cited]))
  if (needs.includes('approver') && approvedBy === null)
    faults.push(fault('approver_missing', 1, `${whole} was approved by no one`, [cited]))
  if (needs.includes('period') && item.period === undefined)
    faults.push(fault('period_missing', 1, `${whole} names no period`, [cited]))
  if (owner !== null && approvedBy !== null && sameName(owner, approvedBy))
    faults.push(fault('self_approved', 1, `the owner of ${whole} approved it`, [cited]))
  const given = [
    { field: 'owner', said: factOf(read, owners), code: 'owner_differs' },
    { field: 'approved_by', said: factOf(read, approvers), code: 'approver_differs' },
  ] as const
  for (const { field, said, code } of given) {
    const stated = item[field]
    if (stated !== undefined && said !== null && !sameName(stated, said))
      faults.push(
        fault(
          code,
          1,
          `${whole}: ${field} is given as ${stated}, its text says ${said}`,
          at(one, field),
        ),
      )
  }
  if (
    item.approved_at !== undefined &&
    packet.as_of !== undefined &&
    startOf(item.approved_at) >= endOf(packet.as_of)
  )
    faults.push(
      fault(
        'approved_in_future',
        1,
        `${whole} is approved after the packet`,
        at(one, 'approved_at'),
      ),
    )
  if (
    item.period !== undefined &&
    packet.period !== undefined &&
    (item.period.to < packet.period.from || item.period.from > packet.period.to)
  )
    faults.push(
      fault('outside_period', 1, `${whole} is about another period than the packet`, [cited]),
    )
  return faults
}
