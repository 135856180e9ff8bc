import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { profileKeys, profiles } from '#domain/rails/packetops/profiles.ts'
import { PacketInput, PacketResult } from '#domain/rails/packetops/schema.ts'
import { verifies } from '../../../../verifies.ts'
import { expectCited } from '../citations.ts'
import { dice, shuffled } from '../dice.ts'
import { asOf, fullPacket, type Made, soc2Ages } from './packet.ts'

type Item = PacketInput['items'][number]
const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** A Merkle tree built from the bottom by pairs, as RFC 6962's equals it. */
function rootOf(leaves: Buffer[]): string {
  let level = leaves
  while (level.length > 1)
    level = level
      .map((left, index) => {
        const right = level[index + 1]
        return right === undefined ? left : sha256(Uint8Array.of(1), left, right)
      })
      .filter((_, index) => index % 2 === 0)
  return level[0]!.toString('hex')
}

const contentOf = ({ content, content_base64 }: Item) =>
  content_base64 === undefined ? content : Buffer.from(content_base64, 'base64').toString()

function sealed(item: Item) {
  const content = contentOf(item)
  return {
    name: item.name,
    section: item.section,
    sha256: content === undefined ? item.sha256! : sha256(content).toString('hex'),
    bytes: content === undefined ? null : Buffer.byteLength(content),
    issued_at: item.issued_at ?? null,
    expires_at: item.expires_at ?? null,
    source: item.source ?? null,
  }
}

function points(fate: Made['fate']): number {
  if (fate === 'sound' || fate === 'copy') return 2
  return fate === 'claimed' || fate === 'undated' ? 1 : 0
}

const packet = fullPacket()
const input: PacketInput = {
  title: 'SOC 2 evidence, first half of 2026',
  profile: 'soc2_evidence_packet',
  as_of: asOf,
  items: packet.map(({ item }) => item),
}
const work = packetops.work(input)
const named = (fate: Made['fate']) =>
  packet
    .filter((made) => made.fate === fate)
    .map(({ item }) => item.name)
    .sort()
const namesOf = (entries: { name: string }[]) => entries.map(({ name }) => name).sort()

verifies(
  'packetops.digests',
  'a packet of 200: each digest matches, and each fault is reported',
  () => {
    expect(() => PacketInput.parse(input)).not.toThrow()
    expect(PacketResult.parse(work.result)).toEqual(work.result)
    expect(work.result.manifest).toHaveLength(200)
    for (const entry of work.result.manifest) {
      const { item, fate } = packet.find(({ item }) => item.name === entry.name)!
      expect(entry).toMatchObject(sealed(item))
      const state = { sound: 'verified', claimed: 'claimed', mismatch: 'mismatch' } as Record<
        string,
        string
      >
      expect(entry.digest).toBe(state[fate] ?? 'computed')
    }
    expect(namesOf(work.result.hash_mismatches)).toEqual(named('mismatch'))
    expect(work.findings.filter(({ code }) => code === 'digest_mismatch')).toHaveLength(
      named('mismatch').length,
    )
    expect(work.gaps.filter(({ code }) => code === 'content_not_supplied')).toHaveLength(
      named('claimed').length,
    )
  },
)

verifies(
  'packetops.age',
  'expired, stale, future and undated items are those that were made so',
  () => {
    expect(named('expired').length).toBeGreaterThan(10)
    expect(namesOf(work.result.expired)).toEqual(named('expired'))
    expect(namesOf(work.result.stale)).toEqual(named('stale'))
    const count = (list: { code: string }[], code: string) =>
      list.filter((one) => one.code === code).length
    expect(count(work.findings, 'issued_in_future')).toBe(named('future').length)
    expect(count(work.gaps, 'undated')).toBe(named('undated').length)
  },
)

verifies(
  'packetops.sections',
  'coverage, missing sections and duplicates are those that were made',
  () => {
    for (const [section, maxAge] of Object.entries(soc2Ages)) {
      const own = packet.filter(({ item }) => item.section === section)
      const all = own.map(({ fate }) => points(fate))
      // Of no use is any item that nothing supersedes: it leaves its section one point at most.
      const most = Math.min(Math.max(0, ...all), all.includes(0) ? 1 : 2)
      const best = own.some(({ fate }) => fate === 'mismatch') ? 0 : most
      const covered = work.result.section_coverage.find((one) => one.section === section)
      expect(covered).toMatchObject({ required: true, max_age_days: maxAge, points: best })
      expect(covered!.items.map(({ quote }) => quote)).toEqual(
        own.map(({ item }) => item.name).sort(),
      )
    }
    expect(work.result.gaps).toEqual(['physical_access'])
    const contents = new Map<string, number>()
    for (const { item } of packet)
      contents.set(sealed(item).sha256, (contents.get(sealed(item).sha256) ?? 0) + 1)
    const repeated = [...contents].filter(([, times]) => times > 1).sort()
    expect(repeated.length).toBeGreaterThan(0)
    expect(work.result.duplicates.map(({ sha256, items }) => [sha256, items.length])).toEqual(
      repeated,
    )
  },
)

verifies(
  'packetops.readiness',
  'the score is the required sections’ points over twice their number',
  () => {
    const sum = work.result.section_coverage
      .filter(({ required }) => required)
      .reduce((all, one) => all + one.points, 0)
    expect(Object.keys(soc2Ages)).toHaveLength(15)
    expect(work.result.readiness.score).toBe(Math.floor((100 * sum) / 30))
    // By hand: 15 sections; none for physical_access, both spoiled ones 0; each of the other twelve has stale items or only claims.
    expect(sum).toBe(12)
    expect(work.result.readiness.score).toBe(40)
    expect(work.result.complete).toBe(false)
  },
)

verifies(
  'packetops.merkle',
  'the root equals that of a second tree over the manifest lines',
  () => {
    const leaves = work.result.manifest.map(({ name }) => {
      const { item } = packet.find(({ item }) => item.name === name)!
      return sha256(Uint8Array.of(0), canonicalJson(sealed(item)))
    })
    expect(work.result.manifest.map(({ leaf_sha256 }) => leaf_sha256)).toEqual(
      leaves.map((leaf) => leaf.toString('hex')),
    )
    expect(work.result.merkle_root).toBe(rootOf(leaves))
  },
)

verifies('rails.citations', 'every quote of a packet’s result stands at its pointer', () => {
  expect(expectCited(input, work)).toBeGreaterThan(300)
})

/** Work without the pointers, which say where in the input something stood. */
const withoutPlaces = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replaceAll(/"pointer":"[^"]*"/g, '"pointer":""'))

verifies('rails.order', 'the order of items changes only citation positions', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const other = packetops.work({ ...input, items: shuffled(input.items, dice(seed)) })
      expect(withoutPlaces(other)).toEqual(withoutPlaces(work))
    }),
    { numRuns: 10 },
  )
})

const doc = (more: Partial<Item> = {}): Item => ({
  name: 'a',
  section: 's',
  content: 'words of some evidence',
  ...more,
})
const small = (items: Item[], more: Partial<PacketInput> = {}) =>
  packetops.work({ title: 't', required_sections: ['s'], items, as_of: '2026-06-30', ...more })
const codes = ({ findings, gaps }: ReturnType<typeof small>) =>
  [...findings, ...gaps].map(({ code }) => code)

verifies(
  'packetops.age',
  'an expiry day lasts until it is over, an expiry instant does not',
  () => {
    const at = (expires_at: string, as_of: string) =>
      small([doc({ expires_at })], { as_of }).result.expired.length
    expect(at('2026-06-30', '2026-06-30')).toBe(0)
    expect(at('2026-06-30', '2026-06-30T23:59:59Z')).toBe(0)
    expect(at('2026-06-30', '2026-07-01')).toBe(1)
    expect(at('2026-06-30T12:00:00Z', '2026-06-30T11:59:59Z')).toBe(0)
    expect(at('2026-06-30T12:00:00Z', '2026-06-30T12:00:00Z')).toBe(1)
    expect(codes(small([doc({ expires_at: '2026-07-30' })]))).toEqual(['expires_soon'])
    expect(codes(small([doc({ expires_at: '2026-07-31' })]))).toEqual([])
  },
)

verifies(
  'packetops.age',
  'evidence is stale the day after its greatest age; undated is unjudged',
  () => {
    const of = (issued_at: string) =>
      small([doc({ section: 'loss_runs', issued_at, content: 'Loss runs of three years' })], {
        profile: 'insurance_renewal_compliance_packet',
      }).result.stale
    expect(of('2026-04-01')).toHaveLength(0)
    expect(of('2026-03-31')).toHaveLength(1)
    const { as_of: _, ...timeless } = {
      title: 't',
      required_sections: ['s'],
      items: [doc()],
      as_of: '',
    }
    const checked = packetops.work(timeless)
    expect(codes(checked)).toEqual(['as_of_missing'])
    expect(checked.result.readiness.score).toBe(50)
  },
)

verifies(
  'packetops.digests',
  'a wrong size, reused name, reversed dates or section are reported',
  () => {
    expect(codes(small([doc({ bytes: 8 })]))).toEqual(['bytes_mismatch'])
    expect(codes(small([doc(), doc({ content: 'other words of evidence' })]))).toEqual([
      'name_reused',
    ])
    expect(codes(small([doc({ issued_at: '2026-05-02', expires_at: '2026-05-01' })]))).toEqual([
      'dates_reversed',
      'expired',
    ])
    expect(
      codes(small([doc(), doc({ section: 'x', content: 'other words of evidence' })])),
    ).toEqual(['section_not_in_profile'])
  },
)

verifies(
  'packetops.readiness',
  'a sound document completes a section, and a false one spoils it',
  () => {
    const sound = doc()
    const forged = doc({ name: 'b', content: 'other words of evidence', sha256: '0'.repeat(64) })
    expect(small([sound]).result).toMatchObject({ complete: true, readiness: { score: 100 } })
    expect(small([sound, forged]).result).toMatchObject({
      complete: false,
      readiness: { score: 0 },
    })
  },
)

verifies('packetops.sections', 'adding a sound document never lowers the score', () => {
  const section = fc.constantFrom(...profiles.vendor_security_questionnaire.map(({ key }) => key))
  const item = fc.record({
    section,
    fate: fc.constantFrom('sound', 'claimed', 'undated', 'expired'),
  })
  const make = ({ section, fate }: { section: string; fate: string }, index: number): Item => ({
    name: `${index}`,
    section,
    ...(fate === 'claimed'
      ? { sha256: 'a'.repeat(64) }
      : { content: `Evidence number ${index} of ${section}` }),
    ...(fate === 'undated' ? {} : { issued_at: '2026-06-01' }),
    ...(fate === 'expired' ? { expires_at: '2026-06-02' } : {}),
  })
  const score = (items: Item[]) =>
    packetops.work({ title: 't', profile: 'vendor_security_questionnaire', as_of: asOf, items })
      .result.readiness.score
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 30 }), section, (specs, extra) => {
      const items = specs.map(make)
      expect(score([...items, make({ section: extra, fate: 'sound' }, 99)])).toBeGreaterThanOrEqual(
        score(items),
      )
    }),
    { numRuns: 50 },
  )
})

verifies(
  'packetops.sections',
  'each profile names its sections once; a full packet is complete',
  () => {
    for (const profile of profileKeys) {
      const sections = profiles[profile]
      expect(new Set(sections.map(({ key }) => key)).size).toBe(sections.length)
      const items = sections.map(({ key }) =>
        doc({
          name: key,
          section: key,
          content: `What we do about ${key}`,
          issued_at: '2026-06-01',
          owner: 'A. Okafor',
          approved_by: 'B. Lindqvist',
          period: { from: '2026-01-01', to: asOf },
        }),
      )
      const { result } = packetops.work({ title: 't', profile, as_of: asOf, items })
      expect(result).toMatchObject({ complete: true, readiness: { score: 100 }, gaps: [] })
    }
  },
)

verifies(
  'packetops.digests',
  'an input that says nothing about its bytes, or two things, is refused',
  () => {
    const refused = (item: object) =>
      PacketInput.safeParse({ ...input, items: [item] }).success === false
    expect(refused({ name: 'a', section: 's' })).toBe(true)
    expect(refused({ ...doc(), content_base64: 'AA==' })).toBe(true)
    expect(refused({ name: 'a', section: 's', content_base64: 'AB==' })).toBe(true)
    expect(refused({ ...doc(), content: '\ud800' })).toBe(true)
    expect(refused({ ...doc(), colour: 'red' })).toBe(true)
    expect(PacketInput.safeParse({ title: 't', items: [doc()] }).success).toBe(false)
  },
)

const coverageOf = ({ result }: ReturnType<typeof small>) => {
  const { state, points, reasons } = result.section_coverage[0]!
  return [state, points, ...reasons]
}

verifies('packetops.content', 'fifteen empty files are worth nothing', () => {
  const items = Object.keys(soc2Ages).map((section) => ({
    name: section,
    section,
    content: '',
    issued_at: '2026-06-01',
  }))
  const { result } = packetops.work({ ...input, items })
  expect(result.readiness.score).toBe(0)
  expect(result.section_coverage.filter(({ state }) => state === 'unusable')).toHaveLength(15)
})

verifies('packetops.content', 'failing statements are quoted; good news and rules are not', () => {
  const against = (content: string) =>
    small([doc({ content })]).result.weaknesses.map(({ code, words }) => [code, words])
  expect(against('{"mfa_enforced": false, "exceptions": 41}')).toEqual([
    ['control_failing', '"mfa_enforced": false'],
    ['exceptions_found', '"exceptions": 41'],
  ])
  expect(against('The scan of May shows 3 CRITICAL findings open > 90 days.')).toHaveLength(1)
  expect(against('change,approved_by\n41,L. Brandt\n42,\n')).toEqual([['approval_missing', '42,']])
  for (const fine of [
    'Access that is not approved must not be granted. Telnet enabled: no.',
    '{"guest_access_enabled": false, "max_failures": 5, "follow_up_required": false}',
    'No critical findings remained open. 0 exceptions were noted this year.',
    'The auditor issued an unqualified opinion on all controls.',
    'risk,severity,status\nphishing,critical,closed\ntheft,low,open\n',
  ])
    expect(against(fine), fine).toEqual([])
})

verifies('packetops.content', 'items that give one rule differently contradict each other', () => {
  const pair = (one: string, two: string, more: Partial<Item> = {}) =>
    small([doc({ content: one }), doc({ name: 'b', content: two, ...more })])
  const facts = pair('Subject: backups\nRetention days: 30', 'Subject: backups\nRetention days: 60')
  expect(facts.result.contradictions).toMatchObject([{ about: 'retention_days' }])
  expect(coverageOf(facts)).toEqual(['failing', 0, 'contradicted'])
  const prose = pair(
    'Backups of customer data are kept for 30 days.',
    'Backups of customer data are kept for 60 days.',
  )
  expect(coverageOf(prose)).toEqual(['partial', 1, 'statements_differ'])
  const elsewhere = pair('System: vpn\nMFA enforced: no', 'System: mail\nMFA enforced: yes')
  expect(elsewhere.result.contradictions).toEqual([])
})

verifies('packetops.age', 'a fresh item does not hide a stale one until it supersedes it', () => {
  const section = { key: 's', title: 'Reviews', max_age_days: 90 }
  const stale = doc({ issued_at: '2026-01-10' })
  const fresh = doc({ name: 'b', content: 'other words of evidence', issued_at: '2026-06-10' })
  const of = (...items: Item[]) => coverageOf(small(items, { sections: [section] }))
  expect(of(fresh)).toEqual(['present', 2])
  expect(of(stale, fresh)).toEqual(['partial', 1, 'stale'])
  expect(of(stale, { ...fresh, supersedes: 'a' })).toEqual(['present', 2])
  expect(of({ ...stale, supersedes: 'b' }, fresh)).toEqual([
    'partial',
    1,
    'stale',
    'supersedes_nothing',
  ])
  expect(of(stale, { ...fresh, content: 'TBD', supersedes: 'a' })).toContain('stale')
})

verifies('packetops.responsibility', 'owner, approver and period are asked for by sections', () => {
  const section = { key: 's', title: 'Reviews', needs: ['owner', 'approver', 'period'] as const }
  const of = (...items: Item[]) =>
    coverageOf(
      small(items, {
        sections: [{ ...section, needs: [...section.needs] }],
        period: { from: '2026-01-01', to: '2026-06-30' },
      }),
    )
  expect(of(doc())).toEqual([
    'partial',
    1,
    'approver_missing',
    'owner_missing',
    'period_missing',
    'period_not_covered',
  ])
  const half = (from: string, to: string, name: string) =>
    doc({
      name,
      content: `Owner: A. Okafor\nApproved by: B. Lindqvist\nReview of ${name}`,
      period: { from, to },
    })
  const [first, second] = [
    half('2026-01-01', '2026-03-31', 'one'),
    half('2026-04-01', '2026-07-31', 'two'),
  ]
  expect(of(second, first)).toEqual(['present', 2])
  expect(of(second)).toEqual(['partial', 1, 'period_not_covered'])
  expect(of(first, { ...second, owner: 'b. lindqvist' })).toEqual([
    'present',
    2,
    'owner_differs',
    'self_approved',
  ])
})

verifies('packetops.samples', 'a sample is drawn from its population and large enough', () => {
  const rows = (ids: string[]) => `id,decision\n${ids.map((id) => `${id},kept\n`).join('')}`
  const ids = Array.from({ length: 100 }, (_, index) => `u${index}`)
  const population = doc({ name: 'all', content: rows(ids) })
  const of = (drawn: string[], more: Partial<Item> = {}) =>
    small([population, doc({ name: 'some', content: rows(drawn), sample_of: 'all', ...more })], {
      sections: [{ key: 's', title: 'Reviews', needs: ['sample'] }],
    })
  expect(coverageOf(of(ids.slice(0, 20)))).toEqual(['present', 2])
  expect(of(ids.slice(0, 19)).result.samples).toMatchObject([
    { population_size: 100, sample_size: 19, needed: 20, state: 'too_small' },
  ])
  expect(codes(of([...ids.slice(0, 20), 'x']))).toEqual(['sample_not_from_population'])
  expect(codes(of([...ids.slice(0, 20), 'u1'], { population_size: 99 }))).toEqual([
    'population_size_differs',
    'sample_rows_repeated',
  ])
  expect(codes(of(ids.slice(0, 20), { sample_of: 'none' }))).toContain('population_missing')
  const none = small([population], { sections: [{ key: 's', title: 'R', needs: ['sample'] }] })
  expect(codes(none)).toEqual(['sample_missing'])
})

verifies('packetops.content', 'a file is read by its extracted text, and not read without', () => {
  const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d, 0, 1, 2]).toString('base64')
  const { content: _, ...pdf } = doc({ content_base64: bytes })
  expect(coverageOf(small([pdf]))).toEqual(['partial', 1, 'content_not_read'])
  expect(coverageOf(small([{ ...pdf, extracted_text: 'The review was done in May.' }]))).toEqual([
    'present',
    2,
  ])
  expect(coverageOf(small([{ ...pdf, extracted_text: 'MFA is not enforced.' }]))[0]).toBe('failing')
})

verifies('packetops.content', 'exports are read as tables, whatever they came from', () => {
  const failing = [
    '\ufeffmfa_enabled,account\r\nno,anna\r\nyes,bob\r\n',
    'account,mfa_enabled,mfa_enabled\nanna,no,yes\nbob,yes,yes\n',
    'account,mfa_enabled,\nanna,no,\nbob,yes,\n',
    'account,mfa_enabled\nanna,no,\nbob,yes,\n',
    'Review of June\nOwner: A. Okafor\n\naccount,mfa_enabled\nanna,no\nbob,yes\n',
    '| account | mfa_enabled |\n|---|---|\n| anna | no |\n| bob | yes |\n',
    'account;mfa enabled;Saldo\nanna;nein;1.234,50\nbob;ja;2,00\n',
    'account,mfa_enabled\nanna,0\nbob,1\n',
    '\ufeff{"mfa_enabled": false, "note": "of the console"}',
    '{"account":"anna","mfa_enabled":false}\n{"account":"bob","mfa_enabled":true}\n',
    'account: anna\nmfa_enabled: "no"\nnote: of the console\n',
    'MFA\u00a0enabled:\u00a0no\nOwner: A. Okafor\nof the console\n',
  ]
  for (const content of failing) {
    const { weaknesses } = small([doc({ content })]).result
    expect(
      weaknesses.map(({ code, about }) => [code, about]),
      content,
    ).toEqual([['control_failing', 'mfa_enabled']])
  }
  const titled = small([doc({ content: failing[4]! })]).result.manifest[0]
  expect(titled?.owner).toBe('A. Okafor')
  for (const said of ['1,204', '1.204', '12 of 400', '3 (three)', "1'204"])
    expect(codes(small([doc({ content: `exceptions: ${said}\nof all changes made` })]))).toEqual([
      'exceptions_found',
    ])
  for (const said of ['0', '0 of 400', '0 (none)', 'none'])
    expect(codes(small([doc({ content: `exceptions: ${said}\nof all changes made` })]))).toEqual([])
  expect(codes(small([doc({ content: 'We saw that 1,204 exceptions were noted.' })]))).toEqual([])
  expect(codes(small([doc({ content: 'In May 1,204 exceptions were noted.' })]))).toEqual([
    'exceptions_found',
  ])
})
