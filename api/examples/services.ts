import { digests, ids, tokens } from './ids.ts'
import { receiptOf } from './receipts.ts'

const outside = 'cand_06f961b802bc46ee168555f066d28f4f0e9afdf3f88174c1ee6f9de004fc30a0'
const packetops = {
  service_id: 'svc_packetops',
  origin: 'first_party',
  kind: 'rail',
  name: 'packetops',
  summary: 'Assembles evidence into a sealed packet and names what is missing.',
  capabilities: ['assemble evidence packets'],
  protocols: ['http', 'x402'],
  price: 49,
  access: 'agent',
  state: 'available',
} as const
const verify = {
  service_id: 'tool_verify_receipt',
  origin: 'first_party',
  kind: 'free_tool',
  name: 'verify_receipt',
  summary: 'Judge a receipt by its signature, its key, our record of it and its place in the log.',
  capabilities: ['Judge a receipt by its signature.'],
  protocols: ['http'],
  price: 0,
  access: 'public',
  state: 'available',
} as const

const need = {
  pointer: '/task',
  quote: 'Assemble a SOC 2 evidence packet',
  from: 0,
  to: 32,
} as const
const scouted = {
  ranked: [
    {
      service_id: 'svc_packetops',
      name: 'packetops',
      origin: 'first_party',
      price_usd: 49,
      available: true,
      match: 'clear',
      score: 0.81,
      reasons: [
        {
          need,
          capability: 'assemble evidence packets',
          stems: ['assembl', 'evid', 'packet'],
          score: 0.81,
          match: 'clear',
        },
      ],
      missing: [],
    },
  ],
  excluded: [
    {
      service_id: 'svc_contractops',
      code: 'no_match',
      reason: 'it says nothing of what the task needs',
    },
  ],
  missing: [],
  registry_size: 2,
  registry_sha256: digests.input,
} as const

const task = 'Assemble a SOC 2 evidence packet'

/** Services found, inspected, asked for and run. */
export const serviceExamples = {
  'resolver-read': {
    input: {},
    output: {
      version: 'resolver-v0.1',
      modes: ['find_services', 'inspect_service', 'request_service_use', 'run_service'],
      tools: ['find_services', 'inspect_service', 'request_service_use', 'run_service'],
      services: [packetops, verify],
      safety_boundary: ['run_service runs free tools of this service only.'],
      free_tools: [
        {
          service_id: 'tool_verify_receipt',
          operation_id: 'verify-receipt',
          method: 'GET',
          path: '/api/verify-receipt',
        },
      ],
    },
  },
  'find-services': {
    input: { mode: 'find_services', task, include_registry: false },
    output: {
      results: [
        {
          service_id: 'svc_packetops',
          origin: 'first_party',
          kind: 'rail',
          summary: packetops.summary,
          score: 0.81,
          match: 'clear',
          available: true,
          price: 49,
          access: 'agent',
          reasons: [{ need: task, capability: 'assemble evidence packets' }],
        },
      ],
      query_used: task,
      registry_sha256: digests.input,
    },
  },
  'inspect-service': {
    input: {
      mode: 'inspect_service',
      candidate: {
        name: 'Translation of evidence',
        url: 'https://translate.northwind.example/openapi.json',
        description: 'Translates evidence packets between 24 languages.',
        protocols: ['http'],
      },
    },
    output: {
      service: {
        service_id: outside,
        origin: 'registry',
        kind: 'candidate',
        name: null,
        url: null,
        summary: null,
        protocols: ['http'],
        state: 'observed',
        document_sha256: digests.result,
        inspected_at: '2026-11-24T09:32:00.000Z',
      },
      checks: [
        { check: 'document', ok: true, detail: 'a document of the form openapi was read' },
        { check: 'text', ok: true, detail: 'no instructions or markup were found' },
        { check: 'approved', ok: false, detail: 'an operator has not decided yet' },
      ],
      risk: 'low',
      decision: 'human_approval_required',
    },
  },
  'request-service-use': {
    input: {
      mode: 'request_service_use',
      service_id: outside,
      task: 'Translate the packet of the third quarter into Japanese.',
      idempotency_key: 'translate-q3',
    },
    output: {
      use_decision: 'accepted_for_review',
      work_order: {
        work_order_id: ids.workOrder,
        intake_kind: 'external_agent_request',
        state: 'queued',
        requested_tool_id: 'service_os',
        rail: null,
        objective: `${outside}: Translate the packet of the third quarter into Japanese.`,
        requester: { name: 'a caller without an agent', contact: 'none' },
        agent_id: null,
        run_id: null,
        run_ids: [],
        continued_by: null,
        review: { state: 'waiting', decision_id: null },
        created_at: '2026-11-24T09:40:00.000Z',
      },
      next_action: 'Wait for the review of the work order; its status token reads it.',
      receipt: receiptOf('intake', ids.workOrder, {
        service_id: outside,
        task_sha256: digests.terms,
        use_decision: 'accepted_for_review',
      }),
      status_token: tokens.order,
    },
  },
  'run-service': {
    input: {
      mode: 'run_service',
      service_id: 'tool_agent_pricing',
      task: '{"rail":"packetops"}',
      idempotency_key: 'prices-1',
    },
    output: {
      outcome: {
        service_id: 'tool_agent_pricing',
        operation_id: 'agent-pricing',
        result: { currency: 'usd' },
        recorded_at: '2026-11-24T09:32:00.000Z',
      },
      usage_event_id: ids.usageEvent,
      receipt: receiptOf('service_run', `run_service_${digests.input}`, {
        service_id: 'tool_agent_pricing',
        operation_id: 'agent-pricing',
        input_sha256: digests.input,
        result_sha256: digests.result,
        usage_event_id: ids.usageEvent,
      }),
    },
  },
  'service-scout-read': { input: { task, limit: '5' }, output: scouted },
  'service-scout-run': {
    input: { task, constraints: { price_max_usd: 150 }, limit: 5, idempotency_key: 'scout-1' },
    output: {
      ...scouted,
      receipt: receiptOf('scout', `sct_${digests.input}`, {
        input_sha256: digests.input,
        registry_sha256: digests.input,
        registry_size: 2,
        result_sha256: digests.result,
        ranked: [{ service_id: 'svc_packetops', score: 0.81 }],
      }),
    },
  },
} as const
