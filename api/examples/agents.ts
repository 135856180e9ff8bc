import { credentialChecks } from '#domain/agents/credential.ts'
import { boundSets } from '#domain/core/contract-sets.ts'
import { agentKeys, BASE_URL, digests, ids, tokens } from './ids.ts'
import { receiptOf } from './receipts.ts'
import { task } from './tasks.ts'

export const agent = {
  agent_id: ids.agent,
  account_id: 'acc_9af211329b2fc82e5efe906062c730082819b23fe8394bc435e0b1bf0458eb54',
  name: 'Northwind compliance agent',
  trust: { state: 'submitted', decided_at: null, decision_id: null, limits: null },
  capabilities: ['collects audit evidence'],
  rails: ['packetops'],
  public_key: agentKeys.signing,
  callback_url: 'https://hooks.northwind.example/agent-rails',
  publish_profile: false,
  created_at: '2026-11-24T08:50:00.000Z',
} as const

export const credential = {
  credential_id: ids.credential,
  version: 1,
  scopes: ['runs:read', 'runs:write'],
  rails: ['packetops'],
  state: 'active',
  rotate_by: '2027-02-22T09:00:00.000Z',
} as const

export const keyVersion = {
  version: 1,
  key_id: ids.credential,
  public_key: agentKeys.signing,
  state: 'retiring',
  not_before: '2026-11-24T08:50:00.000Z',
  retire_at: '2026-11-25T10:00:00.000Z',
  revoked_at: null,
} as const

const statement =
  'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImFnZW50LXN0YXRlbWVudCtqd3MifQ.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoic3RhdGVtZW50Iiwic3ViIjoiYWdlbnQifQ.RnqU5icOEYGhLbqnWjz5bKE1UKt0CueX-GGxaBLtGnSQsFNHqErqv_cKJswxs-bAOVTabS9TsbAAlwRTw9lCYQ'

/** An agent from its registration to its first signed statement. */
export const agentExamples = {
  'agent-register-read': {
    input: {},
    output: {
      path: '/api/agents/register',
      version: 'v1',
      operations: [],
      policy_rules: ['Review is required before work is executed.'],
      contract_sets: [...boundSets],
      live: { submitted: 2, trusted: 14, sandbox_trusted: 9 },
      manifest_schema: { type: 'object' },
    },
  },
  'agent-register': {
    input: {
      name: 'Northwind compliance agent',
      contact: {
        email: 'agents@northwind.example',
        callback_url: 'https://hooks.northwind.example/agent-rails',
      },
      capabilities: ['collects audit evidence'],
      rails: ['packetops'],
      public_key: agentKeys.signing,
      encryption_key: agentKeys.sealing,
      protocols: ['http'],
      account: { name: 'Northwind GmbH', country: 'DE' },
      requested_scopes: ['runs:read', 'runs:write'],
      sandbox: false,
      idempotency_key: 'register-northwind-1',
    },
    output: {
      agent,
      trust_state: 'submitted',
      identity: null,
      granted_scopes: [],
      denied_scopes: [],
      status_token: tokens.agent,
      status_url: `${BASE_URL}/api/agents/status/${tokens.agent}`,
      next_action: 'Wait for the decision of an operator; the status URL shows it.',
      receipt: receiptOf('onboarding', ids.agent, { trust_state: 'submitted' }),
    },
  },
  'agent-status': {
    input: { kind: 'onboarding' },
    output: {
      kind: 'agent',
      agent_id: ids.agent,
      trust_state: 'trusted',
      credential: { state: 'pending', version: 1, claimable: true },
      tasks: [task],
      work_orders: [],
      pilots: [],
      records: [
        {
          record_kind: 'trust_profile',
          record_id: ids.agent,
          recorded_at: '2026-11-24T09:00:00.000Z',
        },
      ],
      next_action: 'Claim the access key by a handshake.',
      steps: [
        { step: 'submit_manifest', done: true },
        { step: 'receive_trust_state', done: true },
        { step: 'trust_approved', done: true },
        { step: 'credential_envelope_created', done: true },
      ],
    },
  },
  'handshake-read': {
    input: {},
    output: {
      protocol_versions: ['1'],
      nonce:
        'hs_1795527120_dfff30d188055f20aaa1610f29102805_1159276864114039dd9f142f4ee2ab63c5491b8227bcc0852f06f2bf04fe07e5',
      accepted_key_types: ['Ed25519'],
      text: [
        'service-agent-handshake-v1',
        'nonce: <nonce>',
        'token-sha256: <SHA-256 of the status token, 64 hex>',
      ],
      gateway: { base_url: BASE_URL },
    },
  },
  handshake: {
    input: {
      nonce:
        'hs_1795527120_dfff30d188055f20aaa1610f29102805_1159276864114039dd9f142f4ee2ab63c5491b8227bcc0852f06f2bf04fe07e5',
      signature:
        'ljwM2PxvKzCZAVAQjMCW-YdPcuLAckEjL4aDXJHR_CgtuvtpTCBSVN6IMdpcbPNrwu86QvXld6nyvy-8X1UhZw',
      protocol_version: '1',
      claim_credential: true,
    },
    output: {
      trust_state: 'trusted',
      gateway_state: 'gateway_ready',
      credential_envelope: {
        sealed: true,
        jwe: 'eyJhbGciOiJFQ0RILUVTIn0..CrMGgjA1Zhu426IcwlNSMZ_ioo7M2tgeqq9zVurWvxk.Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y.tag',
      },
      credential,
    },
  },
  'credential-policy-read': {
    input: { audit_event_id: ids.audit },
    output: {
      scopes: ['runs:read', 'runs:write'],
      operations: [
        {
          operation_id: 'start-agent-run',
          access: ['agent'],
          scopes: ['runs:write'],
          gated: true,
        },
      ],
      order_of_checks: credentialChecks.map(({ check, code, rule }) => ({ check, code, rule })),
      error_codes: [...new Set(credentialChecks.map(({ code }) => code))],
      live: { allow: 12, deny: 3 },
      audit: {
        audit_event_id: ids.audit,
        operation_id: 'start-agent-run',
        decision: 'allow',
        reasons: [],
        at: '2026-11-24T09:32:00.000Z',
      },
    },
  },
  'credential-enforce': {
    input: {
      operation_id: 'start-agent-run',
      rail: 'packetops',
      amount_usd: 107,
      idempotency_key: 'may-i-run-1',
    },
    output: { decision: 'allow', reasons: [], credential, audit_event_id: ids.audit },
  },
  'signing-versions-read': {
    input: { agent_id: ids.agent },
    output: { owner: ids.agent, versions: [keyVersion] },
  },
  'signing-rotate': {
    input: {
      mode: 'rotate_signing_credential',
      target: 'own_signing',
      next_key: {
        public_key: agentKeys.next,
        signed_by_old:
          'V6yrt1zqdJ3eVRIIwe3MMG8Rm5eAY6E6LUK29MdABvtCzp9SLrMKWoLRHuDfSGK5xudQkHXbHx8tGjzTYqKeZA',
        signed_by_next:
          'hc3HW6pvYjP5WO0Vn1qr1g8VRkuQWInXBUzK1-aff-QzR7K1sIcviANwVwraTbL0r3ooVmi-ry1lgjlIilbPTw',
      },
      overlap_seconds: 86_400,
      reason: 'yearly rotation',
      idempotency_key: 'rotate-2026',
    },
    output: {
      version: {
        ...keyVersion,
        version: 2,
        key_id: '188880c8b7663e5e',
        public_key: agentKeys.next,
        state: 'active',
        not_before: '2026-11-24T10:00:00.000Z',
        retire_at: null,
      },
      previous: keyVersion,
      next_action: 'Sign with the next key from now on.',
      receipt: receiptOf('key_rotation', ids.agent, { version: 2 }),
    },
  },
  'signing-sign': {
    input: {
      mode: 'sign_with_active_signing_version',
      payload: { order: 'PO-7731', accepted: true },
      context: 'purchase orders',
    },
    output: {
      version: 3,
      key_id: 'agent-statement-2026-11',
      jws: statement,
      payload_sha256: digests.payload,
      audit_event_id: ids.audit,
    },
  },
  'signing-verify': {
    input: {
      mode: 'verify_signature_by_version',
      jws: statement,
      payload: { order: 'PO-7731', accepted: true },
    },
    output: {
      valid: true,
      version: 3,
      key_id: 'agent-statement-2026-11',
      key_state_at_signing: 'active',
      reasons: [],
      claims: { sub: ids.agent, context: 'purchase orders', iat: 1795527120 },
    },
  },
} as const
