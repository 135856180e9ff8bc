import { action_id, grant_id, mandate_id, reason, signed_mandate } from './authority.ts'
import { ids } from './ids.ts'
import { keyRotation, serviceKey } from './operators.ts'

const agent = { agent_id: ids.agent, agent_name: 'Northwind compliance agent' } as const

const line = {
  kind: 'authority',
  mandate_id,
  ...agent,
  principal: 'acme',
  state: 'active',
  budget: { currency: 'USD', total: '490', used: '98', left: '392' },
  uses: 2,
  uses_max: 10,
  issued_by: 'Lena Brandt',
  known_since: '2026-11-24T09:30:00.000Z',
  expires_at: '2026-12-24T09:30:00.000Z',
} as const

const grant = {
  grant_id,
  mandate_id,
  ...agent,
  operation_id: 'usage-ledger-record',
  state: 'consumed',
  spend_usd_max: 0,
  issued_by: 'Lena Brandt',
  issued_at: '2026-11-24T09:32:00.000Z',
  expires_at: '2026-11-24T09:34:00.000Z',
} as const

const decision_id = 'dec_2f9a48635d1c7e0b92fa48360b7c5de1f2a948368a1f0c7d5e2b49368d1c7e0b'
const action = {
  action_id,
  mandate_id,
  grant_id,
  ...agent,
  operation_id: 'usage-ledger-record',
  state: 'done',
  price_usd: 0,
  released_usd: null,
  status: 200,
  refusal: null,
  decision: { decision_id, rules: [reason], receipt_id: ids.settlementReceipt },
  receipt_id: ids.usageReceipt,
  reserved_at: '2026-11-24T09:33:00.000Z',
  finished_at: '2026-11-24T09:33:01.000Z',
  temporal_url: null,
} as const

/** What operators read of delegated authority and of the rings of keys. */
export const delegationExamples = {
  'mandates-list': {
    input: { kind: 'authority', state: 'active', q: ids.agent },
    output: { items: [line], offset: 0, limit: 25 },
  },
  'mandate-read': {
    input: { mandate_id },
    output: {
      ...line,
      revocation: null,
      document: signed_mandate,
      decisions: [
        {
          decision_id,
          purpose: 'execute',
          decision: 'allow',
          operation_id: 'usage-ledger-record',
          grant_id,
          price_usd: 0,
          rules: [reason],
          receipt_id: ids.settlementReceipt,
          decided_at: '2026-11-24T09:33:00.000Z',
        },
      ],
      grants: [grant],
      actions: [action],
      firings: [
        {
          firing_id: 'fi_1c7e0b92fa48360b7c5de1f2a948368a1f0c7d5e2b49368d1c7e0b2f9a48635d',
          workflow_id: 'cw_92fa48360b7c5de1f2a948368a1f0c7d5e2b49368d1c7e0b2f9a48635d1c7e0b',
          workflow_name: 'Daily evidence',
          action_id,
          state: 'started',
          run_id: ids.run,
          charged_usd: 49,
          due_at: '2026-11-25T09:33:00.000Z',
        },
      ],
      payments: [],
    },
  },
  'grants-list': {
    input: { state: 'consumed', q: mandate_id },
    output: { items: [grant], offset: 0, limit: 25 },
  },
  'delegated-actions-list': {
    input: { state: 'done', q: mandate_id },
    output: { items: [action], offset: 0, limit: 25 },
  },
  'key-rings': {
    input: {},
    output: {
      rings: [
        { ring: 'receipt', keys: [serviceKey], rotation: { ...keyRotation, temporal_url: null } },
      ],
    },
  },
} as const
