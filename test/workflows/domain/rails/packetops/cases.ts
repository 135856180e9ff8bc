import type { RailCases } from '../cases.ts'
import { maybe, type Roll, shuffled, some, upTo } from '../dice.ts'
import { fullPacket } from './packet.ts'

export const cases: RailCases = {
  declared: [true, true, true, 'current', false, true, [49, 99, 249]],
  figures: ({ readiness, complete, manifest, weaknesses, ...lists }) => ({
    Readiness: `${readiness.score} of 100`,
    Complete: complete ? 'yes' : 'no',
    Profile: 'soc2 evidence packet',
    Items: manifest.length,
    Weaknesses: weaknesses.length,
    Contradictions: lists.contradictions.length,
    'Expired items': lists.expired.length,
    'Stale items': lists.stale.length,
  }),
  planted: {
    digests_recomputed: (result) => {
      result.manifest[0].sha256 = 'f'.repeat(64)
    },
    root_recomputed: (result) => {
      result.merkle_root = 'f'.repeat(64)
    },
    items_sealed: (result) => {
      result.manifest[0].name = 'another-name.md'
    },
    score_adds_up: (result) => {
      result.readiness.score = 100
    },
    missing_named: (result) => {
      result.gaps = result.gaps.slice(1)
    },
  },
  input: packet,
  larger: () => [
    {
      title: 'All',
      profile: 'soc2_evidence_packet',
      as_of: '2026-06-30',
      items: fullPacket().map(({ item }) => item),
    },
  ],
}

function packet(roll: Roll): unknown {
  const items = shuffled(
    fullPacket().map(({ item }) => item),
    roll,
  ).slice(0, 1 + upTo(40, roll))
  return {
    title: 'Packet',
    profile: 'soc2_evidence_packet',
    items,
    ...maybe(roll, { as_of: '2026-06-30' }),
    ...maybe(roll, { required_sections: some(['monitoring', 'extra', 'other'], 3, roll) }),
  }
}
