import { createHash } from 'node:crypto'
import type { PacketInput } from '#domain/rails/packetops/schema.ts'
import { dice, pick } from '../dice.ts'

type Item = PacketInput['items'][number]
/** What was done to an item when it was made. */
export type Made = {
  item: Item
  fate: 'sound' | 'claimed' | 'mismatch' | 'expired' | 'stale' | 'future' | 'undated' | 'copy'
}

export const asOf = '2026-06-30'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const day = (offset: number) =>
  new Date(Date.parse(asOf) + offset * 86_400_000).toISOString().slice(0, 10)

/** Sections with their greatest age in days, typed from the tables for SOC 2 packets; `bridge_letter` may be absent. */
export const soc2Ages: Record<string, number> = {
  system_description: 365,
  management_assertion: 365,
  control_environment: 365,
  communication: 365,
  risk_assessment: 365,
  monitoring: 180,
  control_activities: 365,
  logical_access: 90,
  physical_access: 365,
  system_operations: 90,
  incident_response: 365,
  change_management: 90,
  vendor_management: 365,
  business_continuity: 365,
  penetration_test: 365,
}

const fates: Made['fate'][] = [
  'sound',
  'sound',
  'sound',
  'claimed',
  'expired',
  'stale',
  'future',
  'undated',
  'copy',
]

function fateIn(section: string, roll: () => number): Made['fate'] {
  if (section === 'penetration_test') return 'claimed'
  return pick(fates, roll)
}

/** A whole packet of 200 documents, each with what was done to it; `physical_access` has none, `penetration_test` only claims. */
export function fullPacket(): Made[] {
  const roll = dice(6962)
  const sections = Object.keys(soc2Ages).filter((key) => key !== 'physical_access')
  const made: Made[] = []
  while (made.length < 200) {
    const section = sections[made.length % sections.length] as string
    // Mismatches spoil a whole section: only two sections get any.
    const spoiled = ['risk_assessment', 'vendor_management'].includes(section) && roll() < 0.2
    const fate = spoiled ? 'mismatch' : fateIn(section, roll)
    made.push({ fate, item: makeItem(section, fate, made, roll) })
  }
  return made
}

function makeItem(section: string, fate: Made['fate'], before: Made[], roll: () => number): Item {
  const number = before.length
  const age = soc2Ages[section] as number
  const content = evidence(section, number, roll)
  const base = {
    name: `${section.replaceAll('_', '-')}-${String(number).padStart(3, '0')}.csv`,
    section,
    owner: 'F. Haddad',
    approved_by: 'G. Novak',
    period: { from: '2026-01-01', to: asOf },
  }
  const dated = {
    ...base,
    issued_at: day(-Math.floor(roll() * (age + 1))),
    source: 'evidence room',
  }
  const original = before.find(({ fate, item }) => fate === 'sound' && item.content !== undefined)
    ?.item.content
  switch (fate) {
    case 'sound':
      return { ...dated, content, sha256: sha256(content), bytes: Buffer.byteLength(content) }
    case 'copy':
      return { ...dated, content: original ?? content }
    case 'claimed':
      return { ...dated, sha256: sha256(content) }
    case 'mismatch':
      return { ...dated, content, sha256: sha256(`${content} `) }
    case 'expired':
      return { ...dated, content, expires_at: day(-1 - Math.floor(roll() * 300)) }
    case 'stale':
      return { ...base, content, issued_at: day(-age - 1 - Math.floor(roll() * 400)) }
    case 'future':
      return { ...base, content, issued_at: day(1 + Math.floor(roll() * 20)) }
    case 'undated':
      return { ...base, content_base64: Buffer.from(content).toString('base64') }
  }
}

function evidence(section: string, number: number, roll: () => number): string {
  const people = ['A. Okafor', 'B. Lindqvist', 'C. Moreau', 'D. Suzuki', 'E. Álvarez']
  const rows = Array.from({ length: 12 }, (_, row) => {
    const when = day(-Math.floor(roll() * 365))
    return `${number}-${row},${when},${pick(people, roll)},${pick(['approved', 'revoked', 'kept', 'escalated'], roll)}`
  })
  return [`control ${section}`, 'ticket,date,owner,outcome', ...rows].join('\n')
}
