import { agent, credential, keyVersion } from './agents.ts'
import { addresses, digests, ids } from './ids.ts'
import { examplePilot } from './pilots.ts'
import { receiptOf } from './receipts.ts'

const session = {
  operator_id: ids.operator,
  name: 'Lena Brandt',
  expires_at: '2026-11-24T20:00:00.000Z',
} as const

const line = {
  kind: 'payout',
  id: ids.payout,
  state: 'authorized',
  rail: 'payouts',
  usage: 'operational',
  owner: addresses.creator,
  amount_usd: '12.5',
  created_at: '2026-11-24T09:30:00.000Z',
} as const

const accessKey = {
  ...credential,
  created_at: '2026-11-24T09:00:00.000Z',
  claimed_at: '2026-11-24T09:00:00.000Z',
  revoked_at: null,
} as const

const pause = {
  scope: 'payouts',
  target: null,
  reason: 'the token issuer reports an incident',
  operator_name: 'Lena Brandt',
  changed_at: '2026-11-24T07:00:00.000Z',
} as const

/** What the operator console reads on a morning with one invoice to confirm, and one payout to wake. */
export const consoleExamples = {
  'session-open': { input: {}, output: { session } },
  'session-read': { input: {}, output: { session } },
  'session-end': { input: { operator_id: ids.operator }, output: { ended: true } },
  inbox: {
    input: { action: 'decide', kind: 'payment_reference', evidence_roots: 'true', limit: '25' },
    output: {
      items: [
        {
          action: 'decide',
          kind: 'payment_reference',
          id: ids.reference,
          state: 'presented',
          code: null,
          rail: 'packetops',
          amount_usd: '107',
          summary: 'An invoice of 107 usd: INV-2026-0042',
          waiting_since: '2026-11-24T09:25:00.000Z',
          allowed_decisions: ['approve', 'reject', 'hold'],
          evidence_root_sha256: digests.evidence,
          criteria_sha256: null,
        },
      ],
      counts: [{ action: 'decide', kind: 'payment_reference', count: 1 }],
      total: 1,
      offset: 0,
      limit: 25,
    },
  },
  'work-list': {
    input: { kind: 'payout', q: 'invoice-2026-0117' },
    output: { items: [line], offset: 0, limit: 25 },
  },
  'work-read': {
    input: { id: ids.payout },
    output: {
      ...line,
      explanation: { waits_for: 'its execution', unblocked_by: 'POST /api/payout-execute' },
      progress: null,
      commands: ['wake'],
      traces: [{ trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', url: null }],
      timeline: [
        {
          at: '2026-11-24T09:30:00.000Z',
          what: 'state',
          name: 'created',
          detail: '12.5 USDC',
          reference: null,
          url: null,
        },
      ],
      steps: [],
      temporal_url: null,
    },
  },
  'recovery-act': {
    input: {
      act: 'wake',
      ids: [ids.payout],
      reason: 'the token is not paused any more',
      dry_run: false,
      idempotency_key: 'wake-2026-11-24',
    },
    output: {
      outcomes: [
        { id: ids.payout, state: 'authorized', receipt_id: ids.settlementReceipt, refused: null },
      ],
    },
  },
  money: {
    input: { span: 'day' },
    output: {
      payout_wallet: { address: addresses.payoutWallet, balance_usdc: '812.4' },
      daily_cap: { cap_usdc: '100', used_usdc: '48.25', left_usdc: '51.75' },
      gas_wallets: [
        {
          address: '0x0d17061ad92e07cd777d7e5f04d6b45ef32853ea',
          balance_wei: '41200000000000000',
          open_transactions: 0,
          oldest_nonce: null,
          waiting_seconds: 0,
          jammed: false,
        },
      ],
      credit: {
        outstanding_units: 820,
        funded: 6,
        reserved_units: 107,
        wallet_units: 3000,
        debt_units: 0,
        revenue_units: 1683,
        fee_units: 136,
      },
      call_fees: { settled: 41, usdc: '4.1', credits: 0 },
      series: [{ at: '2026-11-24T09:00:00.000Z', paid_out: 12.5, earned: 8, credited: 107 }],
      statements: [
        {
          day: '2026-11-23',
          sha256: digests.payload,
          kid: 'receipt-2026-11',
          made_at: '2026-11-24T00:05:00.000Z',
        },
      ],
      open_differences: 1,
    },
  },
  'pilots-list': {
    input: { state: 'requested', limit: '25' },
    output: {
      items: [
        {
          ...examplePilot,
          contact: 'ops@northwind.example',
          agent_id: null,
          state_since: examplePilot.created_at,
          waiting_since: examplePilot.created_at,
        },
      ],
      offset: 0,
      limit: 25,
      total: 1,
    },
  },
  'agents-list': {
    input: { q: 'Northwind', state: 'trusted' },
    output: {
      items: [
        {
          agent_id: ids.agent,
          name: 'Northwind compliance agent',
          sandbox: false,
          trust_state: 'trusted',
          trust_since: '2026-11-24T08:58:00.000Z',
          rails: ['packetops'],
          limits: { max_usd: 500 },
          credential_id: ids.credential,
          credential_state: 'active',
          credential_expires_at: '2027-02-22T09:00:00.000Z',
          open_tasks: 1,
          created_at: '2026-11-24T08:50:00.000Z',
        },
      ],
      offset: 0,
      limit: 25,
    },
  },
  'agent-read': {
    input: { agent_id: ids.agent },
    output: {
      agent: {
        agent_id: ids.agent,
        account_id: agent.account_id,
        name: agent.name,
        trust: {
          state: 'trusted',
          decided_at: '2026-11-24T08:58:00.000Z',
          decision_id: ids.decision,
          limits: { max_usd: 500 },
        },
        capabilities: agent.capabilities,
        rails: agent.rails,
        callback_url: agent.callback_url,
        publish_profile: agent.publish_profile,
        created_at: agent.created_at,
      },
      sandbox: false,
      email: 'ops@northwind.example',
      requested_scopes: ['runs:read', 'runs:write'],
      allowed_decisions: ['hold', 'reject'],
      access_keys: [accessKey],
      signing_keys: [keyVersion],
      decisions: [
        {
          decision: 'approve',
          note: 'The owner answered at the address of the manifest.',
          limits: { max_usd: 500 },
          operator_name: 'Lena Brandt',
          decided_at: '2026-11-24T08:58:00.000Z',
          receipt_id: ids.settlementReceipt,
        },
      ],
    },
  },
  'agent-limits-set': {
    input: {
      agent_id: ids.agent,
      limits: { max_usd: 250, concurrent_runs: null },
      reason: 'the customer asked for a lower limit',
      idempotency_key: 'limits-2026-11-24',
    },
    output: {
      agent_id: ids.agent,
      limits: { max_usd: 250 },
      previous_limits: { max_usd: 500 },
      receipt: receiptOf('control_change', ids.agent, {
        act: 'agent_limits_set',
        limits: { max_usd: 250 },
      }),
    },
  },
  'access-key-revoke': {
    input: {
      credential_id: ids.credential,
      reason: 'the owner reports that the key was in a public log',
      idempotency_key: 'revoke-2026-11-24',
    },
    output: {
      credential: { ...credential, state: 'revoked' },
      receipt: receiptOf('key_event', ids.credential, { state: 'revoked' }),
    },
  },
  pauses: {
    input: {},
    output: {
      active: [pause],
      changes: [
        {
          ...pause,
          change_id: ids.change,
          paused: true,
          receipt_id: ids.settlementReceipt,
        },
      ],
    },
  },
} as const
