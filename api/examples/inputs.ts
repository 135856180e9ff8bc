import { keysUrlOf } from '#domain/verification/key-document.ts'
import { paymentProtocols } from '../shapes/agent-tools.ts'
import { addresses, BASE_URL, digests, ids, OS_URL } from './ids.ts'

const storedInput = {
  sha256: digests.upload,
  byte_length: 62,
  media_type: 'text/csv',
  stored_at: '2026-11-24T09:10:00.000Z',
  kept_until: '2026-12-01T09:10:00.000Z',
} as const

const activation = {
  sequence: ['provider_event', 'webhook_verification', 'provider_confirmation'],
  webhook_rules: {
    signatures: ['Stripe-Signature: v1 (HMAC-SHA256)'],
    age_seconds_max: 300,
    event_types: ['payment.settled', 'payment.failed'],
    amount: 'exactly what is owed',
    repeated: 'an event counts once, by its id',
  },
  steps: [
    {
      step: 'provider_event',
      done_at: '2026-11-24T09:31:00.000Z',
      evidence_id: 'evt_3QK7aZ2eRw',
    },
    { step: 'webhook_verification', done_at: null, evidence_id: null },
  ],
  operator_decision: null,
} as const

const listRails = {
  name: 'list_rails',
  title: 'List rails',
  description: 'What each rail costs by tier, its fee and its totals.',
  operation_id: 'agent-pricing',
  access: ['public'],
  scopes: [],
  price: null,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  reference: `${BASE_URL}/docs/agent-pricing`,
} as const

const named = { sha256: digests.input } as const

/** A list that is uploaded before its run, and the callbacks that report on the run. */
export const inputExamples = {
  'input-upload': {
    input: { sha256: digests.upload },
    bytes: 'at,model,tokens,cost_usd\n2026-11-24T09:00:00Z,small,1840,0.02\n',
    output: storedInput,
  },
  'input-read': { input: { sha256: digests.upload }, output: storedInput },
  'input-delete': { input: named, output: { ...named, deleted: true } },
  'callback-completion-read': {
    input: { payment_reference_id: ids.reference },
    output: activation,
  },
  'callback-examples': {
    input: { language: 'python' },
    output: {
      signed_at: 1795527120,
      events: [
        {
          event: 'task_updated',
          headers: {
            'webhook-id': ids.delivery,
            'webhook-timestamp': '1795527120',
            'webhook-signature':
              'v1a,czU_LxemiHKjAIF5o4oYhuqojuCiE00qQRoIHVhVqsQkti4e1VMJwWaBudB9E4_zhQxFljdJ_ibPnyclx-AJ8Q==',
          },
          body: '{"event":"task_updated","state":"closed"}',
          signature:
            'v1a,czU_LxemiHKjAIF5o4oYhuqojuCiE00qQRoIHVhVqsQkti4e1VMJwWaBudB9E4_zhQxFljdJ_ibPnyclx-AJ8Q==',
          public_key: 'whpk_Ocq3z_-XtdHNAX69IvmpgVmXT8nHqIh7uONH4KvmO7A',
          verifies: true,
        },
      ],
      receivers: [{ language: 'python', code: 'def receive(headers, body): …' }],
      retry_rules: {
        attempts: 8,
        seconds_before_each: [0, 5, 30, 120],
        jitter: 'up to a tenth more',
        taken_by: '2xx within 5 s',
        ended_by: '410',
      },
    },
  },
  'callback-demo-receive': {
    input: { receiver: 'my-first-agent', fail: '0' },
    bytes: `{"event":"payout_updated","delivery_id":"${ids.delivery}","payout_id":"${ids.payout}"}`,
    output: {
      verified: true,
      checks: [
        { check: 'headers', ok: true },
        { check: 'time', ok: true },
        { check: 'signature', ok: true },
      ],
      delivery_id: ids.delivery,
      duplicate: false,
    },
  },
  'callback-demo-read': {
    input: { receiver: 'my-first-agent' },
    output: {
      items: [
        {
          delivery_id: ids.delivery,
          event: 'task_updated',
          verified: true,
          received_at: '2026-11-24T09:45:00.000Z',
          attempts: 1,
        },
      ],
    },
  },
} as const

/** Documents about the service itself. */
export const discoveryExamples = {
  healthz: { input: {}, output: { ok: true } },
  readyz: {
    input: { for: 'payouts' },
    output: {
      ok: true,
      degraded: [],
      checks: {
        postgres: { ok: true, detail: 'well' },
        temporal: { ok: true, detail: 'well' },
        chain: { ok: true, detail: 'well' },
      },
    },
  },
  openapi: {
    input: {},
    output: { openapi: '3.1.0', info: { title: 'agent-rails', version: '1.0.0' }, paths: {} },
  },
  'agent-tools': {
    input: {},
    output: {
      name: 'agent-rails',
      version: 'resolver-v0.1',
      base_url: BASE_URL,
      os_url: OS_URL,
      mcp: { endpoint: `${BASE_URL}/api/mcp`, descriptor: `${BASE_URL}/.well-known/mcp.json` },
      openapi: `${BASE_URL}/openapi.json`,
      auth_kinds: [
        { kind: 'public', header: null },
        { kind: 'agent', header: 'Authorization: Bearer ag_…' },
      ],
      payment_protocols: paymentProtocols,
      tools: [listRails],
      operations: [
        {
          operation_id: 'agent-pricing',
          summary: 'What each rail costs by tier, its fee and its totals.',
          method: 'GET',
          path: '/api/agent-pricing',
          aliases: [],
          mode: null,
          host: 'base',
          access: ['public'],
          scopes: [],
          price: null,
          status: [200],
          idempotency: 'read',
          errors: ['internal_error', 'invalid_request', 'method_not_allowed', 'rate_limited'],
          schemas: '/paths/~1api~1agent-pricing/get',
          tool: 'list_rails',
        },
      ],
      sequences: [{ name: 'self_onboarding', steps: ['submit_manifest', 'receive_trust_state'] }],
      policy_rules: ['Review precedes execution.'],
      schemas: [
        {
          name: 'problem.v1.json',
          version: 'v1',
          url: `${BASE_URL}/schemas/problem.v1.json`,
          sha256: digests.manifest,
        },
      ],
      rails: [],
      payment: {
        posture: ['reference_based'],
        paths: ['invoice_or_purchase_order', 'agent_credit'],
        methods: ['invoice_reference', 'x402_reference'],
      },
    },
  },
  'agent-registration': {
    input: {},
    output: {
      type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
      name: 'Agent Rails',
      description: 'Agents quote, pay for and run bounded work, and get a result with a receipt.',
      image: `${BASE_URL}/pages/icon.svg`,
      services: [{ name: 'MCP', endpoint: `${BASE_URL}/api/mcp`, version: '2026-07-28' }],
      x402Support: true,
      active: true,
      registrations: [
        {
          agentId: 22,
          agentRegistry: 'eip155:8453:0x8004a169fb4a3325136eb29fa0ceb6d2e539a432',
        },
      ],
      supportedTrust: [],
    },
  },
  'agent-card': {
    input: {},
    output: {
      name: 'Agent Rails',
      description: 'Agents quote, pay for and run bounded work, and get a result with a receipt.',
      supportedInterfaces: [
        { url: `${BASE_URL}/api/mcp`, protocolBinding: 'MCP', protocolVersion: '2026-07-28' },
      ],
      provider: { organization: 'agent-rails', url: BASE_URL },
      version: '1.0.0',
      documentationUrl: `${BASE_URL}/docs`,
      capabilities: {},
      securitySchemes: {
        agent: {
          httpAuthSecurityScheme: {
            scheme: 'Bearer',
            description: 'The access key of a registered agent. Sandbox runs need none.',
          },
        },
      },
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
      skills: [
        {
          id: 'scout',
          name: 'scout',
          description: 'Ranks services by how they meet a task.',
          tags: ['find a service'],
          examples: ['{"task":"reconcile invoices"}'],
        },
      ],
      signatures: [
        {
          protected: 'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6IkpPU0UifQ',
          signature:
            'sUZ3U4-7PSuHDgcStkoIzFHX6Gh2GyXUlSP_SyBuHJHRFa5a5iL1RzdmK091wml3YCycu6MzerP5oa9MkqKSuQ',
          header: { jku: keysUrlOf(BASE_URL) },
        },
      ],
    },
  },
  'agents-start-here': {
    input: { rail: 'packetops' },
    output: {
      rail: 'packetops',
      steps: [
        {
          step: 1,
          operation_id: 'agent-quote',
          summary: 'Quote a run: rail, fee and total in whole usd, valid for an hour.',
          method: 'POST',
          url: `${BASE_URL}/api/agents/quote`,
          access: ['agent'],
          header: 'Authorization: Bearer ag_…',
          price: null,
          example_body: { rail: 'packetops', tier: 'standard', units: 1 },
          replace: [
            {
              place: 'header',
              name: 'Authorization',
              from: 'handshake',
              pointer: '/credential_envelope/credential',
              how: 'The word Bearer, a space, and the access key in the answer of handshake.',
            },
          ],
        },
      ],
      sequences: [{ name: 'self_onboarding', steps: ['submit_manifest', 'receive_trust_state'] }],
      policy_rules: ['Review precedes execution.'],
      links: { openapi: `${BASE_URL}/openapi.json` },
      rate_limits: [
        {
          policy: 'public-reads',
          calls: 60,
          window_seconds: 60,
          counts: 'Other reads without a credential, from one address.',
        },
      ],
    },
  },
  'mcp-descriptor': {
    input: {},
    output: {
      name: 'agent-rails',
      title: 'Agent Rails',
      version: 'resolver-v0.1',
      description: 'Agents quote, pay for and run bounded work, and get a result with a receipt.',
      endpoint: `${BASE_URL}/api/mcp`,
      aliases: [`${BASE_URL}/api/mcp-server-wrapper`],
      transport: 'streamable-http',
      methods: [
        'initialize',
        'notifications/initialized',
        'ping',
        'tools/list',
        'tools/call',
        'tasks/get',
        'tasks/update',
        'tasks/cancel',
      ],
      extensions: ['io.modelcontextprotocol/tasks'],
      protocol_versions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      authentication: [
        { kind: 'agent', header: 'Authorization: Bearer ag_…', tools: ['start_rail_run'] },
      ],
      tools: [listRails],
      policy_rules: ['Review precedes execution.'],
      links: { openapi: `${BASE_URL}/openapi.json` },
    },
  },
  jwks: {
    input: {},
    output: {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: 'xp9aDU69AmSUXmphCqvwT60nd76XK0TBvTTbEuPF3SY',
          kid: 'receipt-2026-11',
          alg: 'EdDSA',
          use: 'sig',
          use_for: 'receipt',
          state: 'active',
          activated_at: '2026-11-01T00:00:00.000Z',
          retired_at: null,
          revoked_at: null,
        },
      ],
    },
  },
  'authority-key': {
    input: {},
    output: {
      alg: 'Ed25519',
      contexts: ['service-payout-challenge+jwt', 'dc+sd-jwt'],
      version: 1,
      key_id: 'authority-2026-11',
      public_key: {
        kty: 'OKP',
        crv: 'Ed25519',
        x: '0ql2uWpgA5bJjWf86SsYNjF8JPmxPsVKP-HsuWi4Qig',
        kid: 'authority-2026-11',
      },
      not_before: '2026-11-01T00:00:00.000Z',
      previous_versions: [],
    },
  },
  'trust-contract': {
    input: {},
    output: {
      service_id: 'service-trust-v1',
      issuer: `${BASE_URL}/api/trust-contract`,
      environment: 'live',
      alg: 'EdDSA',
      key_id: 'receipt-2026-11',
      price: { atomic: '100000', asset: addresses.usdc, decimals: 6 },
      free_tier: { calls: 10, window_seconds: 2_592_000 },
      payout: {
        service_id: 'service-payout-rail',
        network: 'eip155:8453',
        caps: { max_payout_atomic: '25000000', daily_cap_atomic: '100000000' },
      },
    },
  },
  'schema-index': {
    input: {},
    output: {
      schemas: [
        {
          name: 'rail-input-packetops.v1.json',
          version: 'v1',
          url: `${BASE_URL}/schemas/rail-input-packetops.v1.json`,
          sha256: 'df0ad6e43880f09c90ebf95f19110178aba6890df0010ebda7485029e2b543b4',
        },
      ],
    },
  },
  'schema-read': {
    input: { schema_name: 'rail-input-packetops.v1.json' },
    output: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${BASE_URL}/schemas/rail-input-packetops.v1.json`,
      type: 'object',
    },
  },
} as const
