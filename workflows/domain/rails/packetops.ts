import { bytesToHex } from '@noble/hashes/utils.js'
import { groupedBy } from '../core/grouped-by.ts'
import { merkleRoot } from '../log/merkle.ts'
import { packetopsInput } from './fixtures/packetops.ts'
import { checkItem, type InspectedItem, inspectItem, pointsOf } from './packetops/item.ts'
import { profiles, type Section } from './packetops/profiles.ts'
import { PacketInput, PacketResult, type SectionCoverage } from './packetops/schema.ts'
import type { Finding, Gap, Rail, Work } from './rail.ts'
import { finishedWork, inOrder } from './work.ts'

export const packetops: Rail<PacketInput, PacketResult> = {
  key: 'packetops',
  about: {
    summary:
      'Turns documents into a sealed evidence packet: digests checked, sections covered, expired items named.',
    capabilities: [
      'assemble a SOC 2 evidence packet',
      'assemble a vendor security questionnaire packet',
      'assemble an insurance renewal compliance packet',
      'verify document digests and build a manifest with a Merkle root',
      'find missing sections, expired, stale and duplicate documents',
      'score the readiness of a compliance packet',
    ],
  },
  takes: {
    paidAgentUse: true,
    quickstart: true,
    pricingModelV2: true,
    controlledLoop: 'current',
    offer: false,
    requestedTool: true,
  },
  prices: { entry: 49, standard: 99, pro: 249 },
  input: PacketInput,
  result: PacketResult,
  sandboxInput: packetopsInput,
  parameters: ['profile', 'as_of'],
  work,
}

const READINESS_RULE =
  'Each required section has 2 points where one of its items is checked against its content and current, 1 where the best is only ' +
  'claimed by digest or its age cannot be told, 0 where there is none or where the content of any item in it is not what its digest ' +
  'says. The score is the sum over twice the number of required sections, as whole percent rounded down.'

function work(input: PacketInput): Work<PacketResult> {
  const sections = sectionsOf(input)
  const maxAge = new Map(sections.map(({ key, maxAgeDays }) => [key, maxAgeDays]))
  const checked = input.items.map((item, index) => {
    const inspected = inspectItem(item, index, maxAge.get(item.section) ?? null, input.as_of)
    return { inspected, ...checkItem(item, inspected, input.as_of) }
  })
  const items = checked.map(({ inspected }) => inspected).toSorted(byPlace)
  const coverage = sections
    .map((section) => cover(section, items))
    .toSorted(inOrder(({ section }) => section))
  const required = coverage.filter((section) => section.required)
  const points = required.reduce((sum, section) => sum + section.points, 0)
  const mismatches = items.filter(({ entry }) => entry.digest === 'mismatch')
  const result: PacketResult = {
    profile: input.profile ?? null,
    as_of: input.as_of ?? null,
    manifest: items.map(({ entry }) => entry),
    merkle_root: bytesToHex(merkleRoot(items.map(({ leaf }) => leaf))),
    section_coverage: coverage,
    duplicates: duplicatesOf(items),
    expired: datedBy(items, 'expired', 'expires_at'),
    stale: datedBy(items, 'stale', 'issued_at'),
    hash_mismatches: mismatches.map(({ entry, claimed, place }) => ({
      name: entry.name,
      claimed_sha256: claimed ?? '',
      sha256: entry.sha256,
      citation: { pointer: `${place}/sha256`, quote: claimed ?? '' },
    })),
    gaps: required.filter(({ state }) => state === 'missing').map(({ section }) => section),
    readiness: { score: Math.floor((100 * points) / (2 * required.length)), rule: READINESS_RULE },
    complete: mismatches.length === 0 && required.every((section) => section.points === 2),
  }
  const findings = [
    ...checked.flatMap((one) => one.findings),
    ...checkPacket(result, sections, items),
  ]
  const gaps = [...checked.flatMap((one) => one.gaps), ...undatedPacket(input)]
  return finishedWork(result, findings, gaps)
}

const byPlace = inOrder<InspectedItem>(
  ({ entry }) => entry.section,
  ({ entry }) => entry.name,
  ({ entry }) => entry.leaf_sha256,
)

/** The profile's sections and further ones of the input, which may make them required. */
function sectionsOf({ profile, required_sections = [] }: PacketInput): Section[] {
  const known = profile === undefined ? [] : profiles[profile]
  const asked = new Set(required_sections)
  const more = [...asked].filter((key) => !known.some((section) => section.key === key))
  return [
    ...known.map((section) => (asked.has(section.key) ? { ...section, required: true } : section)),
    ...more.map((key) => ({ key, title: key, required: true, maxAgeDays: null })),
  ]
}

function cover(
  { key, title, required, maxAgeDays }: Section,
  items: InspectedItem[],
): SectionCoverage {
  const own = items.filter(({ entry }) => entry.section === key)
  const spoiled = own.some(({ entry }) => entry.digest === 'mismatch')
  const points = spoiled ? 0 : Math.max(0, ...own.map(({ entry }) => pointsOf(entry)))
  const state = own.length === 0 ? 'missing' : (['unusable', 'partial', 'present'] as const)[points]
  if (state === undefined) throw new RangeError(`a section has ${points} points`)
  return {
    section: key,
    title,
    required,
    max_age_days: maxAgeDays,
    state,
    points,
    items: own.map(({ cited }) => cited),
  }
}

function duplicatesOf(items: InspectedItem[]): PacketResult['duplicates'] {
  const byDigest = groupedBy(items, ({ entry }) => entry.sha256)
  return [...byDigest]
    .filter(([, same]) => same.length > 1)
    .map(([sha256, same]) => ({ sha256, items: same.map(({ cited }) => cited) }))
    .toSorted(inOrder(({ sha256 }) => sha256))
}

function datedBy(
  items: InspectedItem[],
  validity: 'expired' | 'stale',
  field: 'expires_at' | 'issued_at',
): PacketResult['expired'] {
  return items
    .filter(({ entry }) => entry.validity === validity)
    .map(({ entry, place }) => {
      const since = entry[field] ?? ''
      const citation = { pointer: `${place}/${field}`, quote: since }
      return { name: entry.name, section: entry.section, since, citation }
    })
}

function checkPacket(result: PacketResult, sections: Section[], items: InspectedItem[]): Finding[] {
  const known = new Set(sections.map(({ key }) => key))
  const strangers = items.filter(({ entry }) => !known.has(entry.section))
  const named = groupedBy(items, ({ entry }) => JSON.stringify([entry.section, entry.name]))
  const reused = [...named.values()].filter(
    (same) => new Set(same.map(({ entry }) => entry.sha256)).size > 1,
  )
  return [
    ...result.section_coverage
      .filter(({ required, state }) => required && state === 'missing')
      .map(({ section, title }) => ({
        code: 'section_missing',
        detail: `${section}: ${title}`,
        citations: [],
      })),
    ...result.duplicates.map(({ sha256, items: citations }) => ({
      code: 'duplicate_content',
      detail: `${citations.length} items have the content ${sha256}`,
      citations,
    })),
    ...reused.map((same) => ({
      code: 'name_reused',
      detail: `${same.length} items of ${same[0]?.entry.section} have one name and different content`,
      citations: same.map(({ cited }) => cited),
    })),
    ...strangers.map(({ entry, place }) => ({
      code: 'section_not_in_profile',
      detail: `“${entry.name}” is in ${entry.section}, which nobody asks for`,
      citations: [{ pointer: `${place}/section`, quote: entry.section }],
    })),
  ]
}

function undatedPacket({ as_of }: PacketInput): Gap[] {
  if (as_of !== undefined) return []
  return [
    {
      code: 'as_of_missing',
      detail: 'without as_of nothing can be called expired or stale',
      citations: [],
    },
  ]
}
