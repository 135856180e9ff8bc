import { BASE_URL, digests, ids } from './ids.ts'
import { challenge, quote } from './payments.ts'
import { receiptOf } from './receipts.ts'

const prospect_id = 'ps_8c1f0a9e7b6d5c4a3928170f6e5d4c3b2a19080f7e6d5c4b3a29180f7e6d5c4b'
const at = '2026-11-24T09:32:00.000Z'
const operator = `operator:${ids.operator}`
const created = {
  seq: 1,
  event: 'created',
  state: 'identified',
  message_sha256: null,
  sent_at: null,
  channel: null,
  cites: null,
  pilot_id: null,
  agent_id: null,
  customer_account: null,
  reason: null,
  operator,
  at,
} as const
const prospect = {
  prospect_id,
  label: 'Northwind audits',
  channel: 'referral',
  rail: 'packetops',
  contact_reference: 'crm 4711',
  agent_id: null,
  customer_account: null,
  state: 'identified',
  rests_on: 1,
  created_at: at,
  history: [created],
} as const
const messaged = {
  ...prospect,
  state: 'messaged',
  rests_on: 2,
  history: [
    created,
    {
      ...created,
      seq: 2,
      event: 'message_sent',
      state: 'messaged',
      message_sha256: digests.request,
      sent_at: at,
      channel: 'referral',
    },
  ],
} as const
const received = { message_sha256: digests.input, channel: 'email', received_at: at } as const
const replied = {
  ...messaged,
  state: 'replied',
  rests_on: 4,
  history: [
    ...messaged.history,
    {
      ...created,
      seq: 3,
      event: 'message_received',
      state: 'messaged',
      message_sha256: digests.input,
      sent_at: at,
      channel: 'email',
    },
    {
      ...created,
      seq: 4,
      event: 'moved',
      state: 'replied',
      cites: digests.input,
      reason: 'asked for a sample',
    },
  ],
} as const
const actual = { messages_sent: 1, qualified_conversations: 0, paid_runs: 0 } as const
const numbers = {
  target: { messages_sent: 5, qualified_conversations: 2, paid_runs: 1 },
  actual,
  met: false,
  started_at: at,
} as const
const sprint = { sprint_id: 'sprint-1', ...numbers } as const
const counts = {
  identified: 3,
  messaged: 2,
  replied: 1,
  qualified: 2,
  pilot_offered: 0,
  declined: 1,
  paid_next_step_ready: 1,
  converted_to_paid: 1,
} as const
const idempotency_key = 'prospect-1'

/** How operators keep their prospects. */
export const prospectExamples = {
  'sprint-read': { input: {}, output: sprint },
  'read-live-prospect-sprint': {
    input: { mode: 'read_live_prospect_sprint' },
    output: sprint,
  },
  'create-prospect': {
    input: {
      mode: 'create_prospect',
      label: prospect.label,
      channel: 'referral',
      rail: 'packetops',
      contact_reference: 'crm 4711',
      idempotency_key,
    },
    output: { prospect, actual: { ...actual, messages_sent: 0 } },
  },
  'record-message-sent': {
    input: {
      mode: 'record_message_sent',
      prospect_id,
      message_sha256: digests.request,
      sent_at: at,
      idempotency_key,
    },
    output: { prospect: messaged, actual },
  },
  'update-prospect-state': {
    input: {
      mode: 'update_prospect_state',
      prospect_id,
      to: 'replied',
      received,
      reason: 'asked for a sample',
      idempotency_key,
    },
    output: { prospect: replied, actual },
  },
  'read-prospects': {
    input: { mode: 'read_prospects', state: 'replied', limit: 25 },
    output: { items: [replied], offset: 0, limit: 25, total: 1, counts },
  },
  'outreach-pack': {
    input: { prospect_id },
    output: {
      pack: {
        rail: 'packetops',
        messages: [
          {
            purpose: 'qualification',
            text: 'Hello Northwind audits, a run of packetops needs: title, required_sections, items. Which of these do you have at hand?',
            message_sha256: digests.request,
          },
        ],
        sample_package_url: `${BASE_URL}/api/sample-return-packages?rail=packetops`,
        price_card: [
          { tier: 'entry', total_usd: 49 },
          { tier: 'standard', total_usd: 107 },
          { tier: 'pro', total_usd: 269 },
        ],
        invitation_links: [],
        checkout_url: null,
      },
      prospects: [{ prospect_id, label: prospect.label, rail: 'packetops', state: 'replied' }],
      offset: 0,
      limit: 25,
    },
  },
  'paid-next-step-read': {
    input: { state: 'paid_next_step_ready', limit: '25' },
    output: {
      items: [
        {
          prospect_id,
          label: prospect.label,
          state: 'paid_next_step_ready',
          evidence: { return_package_id: ids.returnPackage, receipt_id: ids.usageReceipt },
          offer: {
            quote_id: ids.quote,
            rail: 'packetops',
            tier: 'standard',
            total_usd: 107,
            note: null,
          },
          checkout_url: null,
        },
      ],
      pilots: [],
      offset: 0,
      limit: 25,
      counts: { paid_next_step_ready: 1, converted_to_paid: 1 },
      pilot_counts: { paid_next_step_ready: 0, converted_to_paid: 0 },
    },
  },
  'paid-next-step-mark': {
    input: { prospect_id, to: 'paid_next_step_ready', tier: 'standard', idempotency_key },
    output: {
      prospect: {
        ...replied,
        agent_id: ids.agent,
        state: 'paid_next_step_ready',
        rests_on: 5,
        history: [
          ...replied.history,
          { ...created, seq: 5, event: 'bound', state: 'replied', agent_id: ids.agent },
        ],
      },
      pilot: null,
      quote,
      challenge: { ...challenge, entitlement_id: null },
      receipt: receiptOf('paid_next_step', 'ns_1', {
        prospect_id,
        pilot_id: null,
        agent_id: ids.agent,
        quote_id: ids.quote,
        return_package_id: ids.returnPackage,
        usage_receipt_id: ids.usageReceipt,
        offered_by: operator,
      }),
    },
  },
  'record-sprint-summary': {
    input: {
      mode: 'record_sprint_summary',
      note: 'One of five messages is out.',
      close: false,
      idempotency_key,
    },
    output: {
      sprint_id: 'sprint-1',
      summary: { ...numbers, note: 'One of five messages is out.' },
      receipt: receiptOf('sprint_summary', 'ss_1', {
        sprint_id: 'sprint-1',
        ...numbers,
        note: 'One of five messages is out.',
        closes: false,
        recorded_by: operator,
      }),
    },
  },
} as const
