import { agent } from './agents.ts'
import { digests, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

const profile = {
  name: 'Northwind compliance agent',
  description: 'Collects evidence for SOC 2 audits and assembles it into packets.',
  capabilities: ['collects audit evidence'],
  rails: ['packetops'],
} as const

/** What agents publish of themselves. */
export const profileExamples = {
  'agent-registry-list': {
    input: { query: 'evidence', rail: 'packetops' },
    output: {
      items: [
        {
          agent_id: ids.agent,
          ...profile,
          trust_state: 'trusted',
          badge_state: 'none',
          reliability: { runs: 12, finished: 11, exceptions: 1 },
          receipt_id: ids.usageReceipt,
          changed_at: '2026-11-24T10:00:00.000Z',
        },
      ],
      offset: 0,
      limit: 25,
      total: 1,
    },
  },
  'agent-registry-profile': {
    input: { ...profile, publish_profile: true, idempotency_key: 'profile-1' },
    output: {
      agent: { ...agent, publish_profile: true },
      profile,
      receipt: receiptOf(
        'listing',
        'prf_6dc865f7945d456d8ff1b666302c5b6e6dc865f7945d456d8ff1b666302c5b6e',
        { agent_id: ids.agent, publish_profile: true, profile_sha256: digests.result },
      ),
    },
  },
} as const
