import { bytesToHex } from '@noble/hashes/utils.js'
import { groupedBy } from '../../core/grouped-by.ts'
import { merkleRoot } from '../../log/merkle.ts'
import type { Finding, GapRules, Rail, Work } from '../rail.ts'
import { tiersOf } from '../work/tiers.ts'
import { finishedWork, inOrder, judgedGaps } from '../work/work.ts'
import { packetopsAudit } from './audit.ts'
import { cover, uncovered } from './coverage.ts'
import { type InspectedItem, type ItemText, inspectItem } from './item.ts'
import { type Judged, judge } from './judge.ts'
import { profiles, type Section } from './profiles.ts'
import { packetopsInput } from './sample.ts'
import {
  Item,
  ListedItem,
  type ManifestEntry,
  PacketHead,
  PacketInput,
  PacketResult,
  packetColumns,
  type Weakness,
} from './schema.ts'

export { profiles } from './profiles.ts'
export { insuranceRenewalInput, packetopsInput } from './sample.ts'
export { PacketInput, PacketResult } from './schema.ts'

/** The gaps of a packet; what is unknown about an item of a section that is not required is advisory. */
const gapRules = {
  section_missing: { kind: 'needed', pointer: '/items', filled_by: 'an item of the section' },
  content_not_supplied: {
    kind: 'needed',
    filled_by: 'the content, as content or content_base64, instead of its digest alone',
  },
  content_not_read: { kind: 'needed', filled_by: 'extracted_text with what the file says' },
  undated: { kind: 'needed', filled_by: 'issued_at or expires_at' },
  as_of_missing: {
    kind: 'needed',
    pointer: '/as_of',
    filled_by: 'the day on which the packet is judged',
  },
} as const satisfies GapRules

export const packetops: Rail<PacketInput, PacketResult> = {
  key: 'packetops',
  about: {
    summary:
      'Turns documents into a sealed evidence packet: digests checked, contents read, sections covered, weak items named.',
    capabilities: [
      'assemble a SOC 2 evidence packet',
      'assemble an ISO 27001 evidence packet',
      'assemble a vendor security questionnaire packet',
      'assemble an insurance renewal compliance packet',
      'verify document digests and build a manifest with a Merkle root',
      'find failing, contradicting, empty and unfinished evidence, and samples that are too small',
      'find missing sections, expired, stale and duplicate documents',
      'score the readiness of a compliance packet',
    ],
    asks: [
      'get ready for an audit or a certification',
      'have what the auditor wants to see',
      'are our policies complete and up to date',
      'what is missing, outdated or weak in a compliance file',
      'gather policies, screenshots, certificates and logs as proof of controls',
      'show customers and auditors that our security controls work',
      'renew our cyber insurance',
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
  tiers: tiersOf({
    entry: {
      depth: 'the manifest, the coverage and the readiness',
      leaves_out: ['samples', 'contradictions', 'duplicates'],
      leaves_out_codes: [
        'contradicted',
        'statements_differ',
        'duplicate_content',
        'population_missing',
        'population_size_differs',
        'population_unknown',
        'sample_not_a_table',
        'sample_not_from_population',
        'sample_rows_repeated',
        'sample_too_small',
      ],
    },
    whole: 'all of it, with samples, contradictions and duplicates',
    rows: { entry: 50, standard: 200, pro: 200 },
  }),
  counted: ['items'],
  input: PacketInput,
  result: PacketResult,
  sandboxInput: packetopsInput,
  gapRules,
  audit: packetopsAudit,
  parameters: ['profile', 'as_of', 'period'],
  documents: { within: 'items', text: 'extracted_text', charsMax: 1_048_576, images: true },
  work,
  rows: {
    head: PacketHead,
    lists: { items: Item },
    uploaded: { items: ListedItem },
    columns: packetColumns,
    open: (head) => {
      const items: Item[] = []
      return {
        take: (_list, row) => void items.push(row as Item),
        close: () => work({ ...(head as PacketHead), items }),
      }
    },
  },
}

const READINESS_RULE =
  'Each required section has 2 points where its items are checked against their content, current, filled in and complete in what the ' +
  'section asks for. It has at most 1 where the best is only claimed by digest, cannot be read or lacks something, or where another ' +
  'item of it is expired, stale, empty or a placeholder and no later item supersedes it. It has 0 where there is none, where the ' +
  'content of any item is not what its digest says, or where an item says that the control fails or contradicts another. The score ' +
  'is the sum over twice the number of required sections, as whole percent rounded down.'

function work(input: PacketInput): Work<PacketResult> {
  const sections = sectionsOf(input)
  const byKey = new Map(sections.map((section) => [section.key, section]))
  const items = input.items
    .map((item, index) => inspectItem(item, index, byKey.get(item.section), input.as_of))
    .toSorted(byPlace)
  const judged = judge(items, input)
  const bySection = groupedBy(judged.scored, ({ inspected }) => inspected.item.section)
  const coverage = sections
    .map((section) => cover(section, bySection.get(section.key) ?? [], input.period))
    .toSorted(inOrder(({ section }) => section))
  const required = coverage.filter((section) => section.required)
  const points = required.reduce((sum, section) => sum + section.points, 0)
  const mismatches = items.filter(({ digest }) => digest === 'mismatch')
  const result: PacketResult = {
    profile: input.profile ?? null,
    as_of: input.as_of ?? null,
    manifest: judged.scored.map(entryOf),
    merkle_root: bytesToHex(merkleRoot(items.map(({ leaf }) => leaf))),
    section_coverage: coverage,
    duplicates: duplicatesOf(items),
    expired: datedBy(items, 'expired', 'expires_at'),
    stale: datedBy(items, 'stale', 'issued_at'),
    hash_mismatches: mismatches.map(({ item, sealed, place }) => ({
      name: item.name,
      claimed_sha256: item.sha256 ?? '',
      sha256: sealed.sha256,
      citation: { pointer: `${place}/sha256`, quote: item.sha256 ?? '' },
    })),
    weaknesses: items.flatMap(weaknessesOf),
    contradictions: judged.contradictions,
    samples: judged.samples,
    gaps: required.filter(({ state }) => state === 'missing').map(({ section }) => section),
    readiness: {
      score: required.length === 0 ? 0 : Math.floor((100 * points) / (2 * required.length)),
      rule: READINESS_RULE,
    },
    complete:
      required.length > 0 &&
      mismatches.length === 0 &&
      required.every((section) => section.points === 2),
  }
  const findings = [
    ...judged.faults.filter(({ gap }) => gap === null),
    ...checkPacket(result, sections, items),
    ...openPeriods(sections, bySection, input),
  ].map(noted)
  const gaps = [
    ...judged.faults.flatMap(({ gap, ...fault }) =>
      gap === null ? [] : [{ ...noted(fault), kind: gap }],
    ),
    ...missingSections(result),
    ...undatedPacket(input),
  ]
  return finishedWork(result, findings, judgedGaps(gapRules, gaps))
}

const noted = ({ code, detail, citations }: Finding): Finding => ({ code, detail, citations })

const byPlace = inOrder<InspectedItem>(
  ({ item }) => item.section,
  ({ item }) => item.name,
  ({ leaf }) => bytesToHex(leaf),
)

/** The profile's sections, in which those of the sender's own list replace those of the same key, and further required ones. */
function sectionsOf({ profile, required_sections = [], sections = [] }: PacketInput): Section[] {
  const own = sections.map(
    ({ key, title, required = true, max_age_days, needs, topics, sample_min }): Section => ({
      key,
      title,
      required,
      maxAgeDays: max_age_days ?? null,
      needs: needs ?? [],
      topics: topics ?? [],
      sampleMin: sample_min ?? null,
    }),
  )
  const replaced = new Set(own.map(({ key }) => key))
  const standard = profile === undefined ? [] : profiles[profile]
  const known = [...standard.filter(({ key }) => !replaced.has(key)), ...own]
  const asked = new Set(required_sections)
  const more = [...asked].filter((key) => !known.some((section) => section.key === key))
  return [
    ...known.map((section) => (asked.has(section.key) ? { ...section, required: true } : section)),
    ...more.map((key) => ({
      key,
      title: key,
      required: true,
      maxAgeDays: null,
      needs: [],
      topics: [],
      sampleMin: null,
    })),
  ]
}

function entryOf({ inspected, points, isContradicted, supersededBy }: Judged): ManifestEntry {
  const { item, sealed, digest, validity, read, owner, approvedBy, leaf } = inspected
  return {
    ...sealed,
    digest,
    validity,
    reading: readingOf(read, digest, isContradicted),
    owner,
    approved_by: approvedBy,
    period: item.period ?? null,
    superseded_by: supersededBy,
    points,
    leaf_sha256: bytesToHex(leaf),
  }
}

function readingOf(
  read: ItemText | null,
  digest: ManifestEntry['digest'],
  isContradicted: boolean,
): ManifestEntry['reading'] {
  if (read === null) return digest === 'claimed' ? 'unread' : 'binary'
  if (read.statements.length > 0) return 'failing'
  if (read.state !== 'written' && read.state !== 'unfinished') return read.state
  return isContradicted ? 'contradicted' : read.state
}

function weaknessesOf({ item, read }: InspectedItem): Weakness[] {
  if (read === null) return []
  const { text, pointer } = read
  return read.statements
    .map(({ code, about, rows, from, to }) => {
      const words = text.slice(from, to)
      const span = pointer === null ? null : { pointer, quote: words, from, to }
      return { name: item.name, section: item.section, code, about, rows, words, span }
    })
    .toSorted(
      inOrder(
        ({ code }) => code,
        ({ about }) => about,
        ({ words }) => words,
      ),
    )
}

function openPeriods(
  sections: Section[],
  bySection: ReadonlyMap<string, Judged[]>,
  { period }: PacketInput,
): Finding[] {
  return sections.flatMap((section) => {
    const own = bySection.get(section.key) ?? []
    const live = own.filter(({ supersededBy }) => supersededBy === null)
    const open = own.length === 0 ? null : uncovered(section, live, period)
    if (open === null) return []
    const detail = `no item of ${section.key} covers ${open.from} to ${open.to}`
    return [{ code: 'period_not_covered', detail, citations: [] }]
  })
}

function duplicatesOf(items: InspectedItem[]): PacketResult['duplicates'] {
  const byDigest = groupedBy(items, ({ sealed }) => sealed.sha256)
  return [...byDigest]
    .filter(([, same]) => same.length > 1)
    .map(([sha256, same]) => ({ sha256, items: same.map(({ cited }) => cited) }))
    .toSorted(inOrder(({ sha256 }) => sha256))
}

function datedBy(
  items: InspectedItem[],
  state: 'expired' | 'stale',
  field: 'expires_at' | 'issued_at',
): PacketResult['expired'] {
  return items
    .filter(({ validity }) => validity === state)
    .map(({ sealed, place }) => {
      const since = sealed[field] ?? ''
      const citation = { pointer: `${place}/${field}`, quote: since }
      return { name: sealed.name, section: sealed.section, since, citation }
    })
}

function checkPacket(result: PacketResult, sections: Section[], items: InspectedItem[]): Finding[] {
  const known = new Set(sections.map(({ key }) => key))
  const strangers = items.filter(({ item }) => !known.has(item.section))
  const same = groupedBy(items, ({ item }) => JSON.stringify([item.section, item.name]))
  const reused = [...same.values()].filter(
    (all) => new Set(all.map(({ sealed }) => sealed.sha256)).size > 1,
  )
  return [
    ...result.section_coverage
      .filter(({ reasons }) => reasons.includes('sample_missing'))
      .map(({ section }) => ({
        code: 'sample_missing',
        detail: `${section} asks for a sample, and no item names its population in sample_of`,
        citations: [],
      })),
    ...result.duplicates.map(({ sha256, items: citations }) => ({
      code: 'duplicate_content',
      detail: `${citations.length} items have the content ${sha256}`,
      citations,
    })),
    ...reused.map((all) => ({
      code: 'name_reused',
      detail: `${all.length} items of ${all[0]?.item.section} have one name and different content`,
      citations: all.map(({ cited }) => cited),
    })),
    ...strangers.map(({ item, place }) => ({
      code: 'section_not_in_profile',
      detail: `“${item.name}” is in ${item.section}, which the profile does not ask for`,
      citations: [{ pointer: `${place}/section`, quote: item.section }],
    })),
  ]
}

const missingSections = ({ section_coverage }: PacketResult): Finding[] =>
  section_coverage
    .filter(({ required, state }) => required && state === 'missing')
    .map(({ section, title }) => ({
      code: 'section_missing',
      detail: `${section}: ${title}`,
      citations: [],
    }))

function undatedPacket({ as_of }: PacketInput): Finding[] {
  if (as_of !== undefined) return []
  return [
    {
      code: 'as_of_missing',
      detail: 'without as_of nothing can be called expired or stale',
      citations: [],
    },
  ]
}
