import { BASE_URL, digests, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

const claim = {
  claim_id: 'xc_9d2b7c0f4f0f0a7d3f3f1c1b6f6f8f2a4c7f0e5d1b2a39485766554433221100',
  work_order_id: ids.workOrder,
  agent_id: ids.agent,
  state: 'held',
  claimed_at: '2026-11-24T10:00:00.000Z',
  expires_at: '2026-11-25T10:00:00.000Z',
  delivered_at: null,
  ended_at: null,
  reason: null,
  receipt_id: null,
  terms_sha256: digests.request,
} as const
const { claim_id } = claim

const order = {
  work_order_id: ids.workOrder,
  acceptance_criteria: ['Each required section is covered or listed as a gap.'],
  deadline: '2026-12-01T00:00:00.000Z',
  reward_note: 'Paid by invoice on acceptance.',
} as const
const objective = 'A sealed SOC 2 evidence packet for the fourth quarter of 2026.'
const claimed = { ...order, state: 'claimed', objective } as const

const delivered = {
  ...claim,
  state: 'delivered',
  delivered_at: '2026-11-24T14:00:00.000Z',
  receipt_id: ids.usageReceipt,
} as const
const work = JSON.stringify({ result: { sections: [] }, findings: [], gaps: [] })

/** An order on the exchange: listed, claimed, and delivered or given back. */
export const exchangeExamples = {
  'exchange-read': {
    input: { rail: 'packetops' },
    output: {
      items: [{ ...order, rail: 'packetops', tier: 'standard', objective_summary: objective }],
      offset: 0,
      limit: 25,
      total: 1,
      claims: [],
    },
  },
  'exchange-claim': {
    input: {
      mode: 'claim_work_order',
      work_order_id: ids.workOrder,
      accept_terms: true,
      idempotency_key: 'claim-packet-q4',
    },
    output: {
      work_order: claimed,
      claim,
      input_reference: {
        run_id: ids.run,
        rail: 'packetops',
        tier: 'standard',
        input_sha256: digests.input,
        url: `${BASE_URL}/api/work-order-exchange?claim_id=${claim_id}`,
      },
    },
  },
  'exchange-deliver': {
    input: {
      mode: 'deliver_work_order',
      work_order_id: ids.workOrder,
      claim_id,
      return_package: {
        artifacts: [
          {
            name: 'work.json',
            sha256: '9d1f2f7b9d55ab4a5ed5d6b2a7b0e3b0f8c8a9ad6c7fd4bd1f3b7a4be6a6d7c1',
            content: work,
          },
        ],
        claims: [],
      },
      handoff_pack: 'The packet covers every section but change management.',
      accept_terms: true,
      idempotency_key: 'deliver-packet-q4',
    },
    output: {
      work_order: { ...claimed, state: 'delivered' },
      claim: delivered,
      validation: {
        checks: [{ check: 'result_fits', ok: true, detail: 'the result fits its schema' }],
      },
      review: { subject_kind: 'loop_step', subject_id: ids.run, state: 'waiting' },
      receipt: receiptOf('exchange_delivery', claim_id, { work_order_id: ids.workOrder }),
    },
  },
  'exchange-release': {
    input: {
      mode: 'release_work_order',
      work_order_id: ids.workOrder,
      claim_id,
      reason: 'The access log is missing.',
    },
    output: {
      work_order: { ...claimed, state: 'approved' },
      claim: {
        ...claim,
        state: 'released',
        ended_at: '2026-11-24T11:00:00.000Z',
        reason: 'The access log is missing.',
      },
    },
  },
} as const
