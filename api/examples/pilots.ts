import { nextStepOf } from '#domain/pilots/pilot.ts'
import { BASE_URL, digests, ids, tokens } from './ids.ts'
import { receiptOf } from './receipts.ts'

export const examplePilot = {
  pilot_id: ids.pilot,
  source: 'intake',
  rail: 'financeops',
  tier: 'standard',
  total_usd: 269,
  client: { name: 'Northwind GmbH', account_id: null, customer_account: null },
  objective: 'Match the open invoices of the fourth quarter with the payments.',
  workflow_description: null,
  desired_start: '2030-01-07',
  state: 'requested',
  work_order_id: ids.workOrder,
  run_work_order_id: null,
  runs: [],
  payment: 'none',
  next_step: 'An operator reviews the pilot.',
  created_at: '2026-11-24T09:30:00.000Z',
} as const
const pilot = examplePilot
/** A pilot of packetops whose run may begin. */
export const activatedPilot = {
  ...pilot,
  rail: 'packetops',
  total_usd: 107,
  objective: 'A sealed SOC 2 evidence packet for the fourth quarter of 2026.',
  state: 'activated',
  next_step: nextStepOf('activated'),
} as const
const client = { name: 'Northwind GmbH', contact: 'ops@northwind.example' } as const
const entry = {
  entry_id: 'pe_5c6c9c1a25d5b83a7ad2a1f2bd2a4d9e08f7a1c3f1f0f8b4f6f2c3a9d8e7b6a5',
  number: 1,
  at: '2026-11-24T09:40:00.000Z',
  author_role: 'client',
  kind: 'question',
  text: 'Which columns do the payments need?',
  text_sha256: digests.evidence,
  next_step: false,
  due_at: null,
  prev_hash: '0'.repeat(64),
} as const

const terms = {
  pilot_id: ids.pilot,
  rail: 'financeops',
  tier: 'standard',
  total_usd: pilot.total_usd,
  currency: 'usd',
  objective: pilot.objective,
  expires_at: '2026-12-08T09:30:00.000Z',
  runs: 1,
  rules: [
    'The run is paid before its work begins.',
    'Its work order waits for the review of an operator.',
  ],
} as const
const invited = {
  ...pilot,
  source: 'invitation',
  desired_start: null,
  state: 'invited',
  work_order_id: null,
  next_step: 'The client answers the invitation by POST /api/pilot-invitation-response-workflow.',
} as const
const accepted = {
  ...invited,
  state: 'accepted',
  next_step: nextStepOf('accepted'),
} as const

/** Requests and answers of pilots. */
export const pilotExamples = {
  'pilot-intake-read': { input: {}, output: { pilot } },
  'pilot-intake-submit': {
    input: {
      client,
      rail: 'financeops',
      tier: 'standard',
      objective: pilot.objective,
      desired_start: '2030-01-07',
      data_declaration: 'no_regulated_or_confidential_data',
      idempotency_key: 'pilot-2026-11',
    },
    output: {
      pilot,
      work_order: {
        work_order_id: ids.workOrder,
        intake_kind: 'workflow_intake',
        state: 'queued',
        requested_tool_id: 'service_os',
        rail: 'financeops',
        objective: pilot.objective,
        requester: client,
        agent_id: null,
        run_id: null,
        run_ids: [],
        continued_by: null,
        review: { state: 'waiting', decision_id: null },
        created_at: pilot.created_at,
      },
      receipt: receiptOf('intake', ids.pilot, { pilot_id: ids.pilot, rail: 'financeops' }),
      status_token: tokens.pilot,
    },
  },
  'pilot-invite': {
    input: {
      client,
      rail: 'financeops',
      tier: 'standard',
      objective: pilot.objective,
      idempotency_key: 'invite-northwind',
    },
    output: {
      pilot: invited,
      invitation_token: tokens.pilot,
      response_url: `${BASE_URL}/api/pilot-invitation-response-workflow`,
      expires_at: terms.expires_at,
    },
  },
  'invitation-read': {
    input: {},
    output: {
      terms,
      terms_sha256: digests.terms,
      expires_at: terms.expires_at,
      state: 'invited',
    },
  },
  'invitation-respond': {
    input: {
      response: 'accept',
      terms_sha256: digests.terms,
      client,
      idempotency_key: 'accept-1',
    },
    output: {
      pilot: accepted,
      next_action: accepted.next_step,
      receipt: receiptOf('invitation_response', ids.pilot, { response: 'accept' }),
    },
  },
  'pilot-conversation-read': {
    input: { limit: '10' },
    output: {
      pilot,
      entries: [entry],
      offset: 0,
      limit: 10,
      total: 1,
      next_step: pilot.next_step,
    },
  },
  'pilot-conversation-add': {
    input: { kind: 'question', text: entry.text, idempotency_key: 'question-1' },
    output: { entry, pilot },
  },
} as const
