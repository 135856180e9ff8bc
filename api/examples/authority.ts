import { authorityContexts, authorityLimits } from '#domain/authority/artifacts.ts'
import { BASE_URL, digests, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

export const mandate_id = 'mdt_d959b638663f9a7de663a1be37e39bc5d820e3dbb3a31b0af1bad43e0c39fc69'
export const grant_id = 'gr_6f1d2b90a7c84e53b1f07d2c9ae64518d3c0b7f2a95e18642d7fb03c1ea98564'
export const action_id = 'da_0b7c5de1f2a94836c1d07e52b8a4f369d5e10c7b2f9a48635d1c7e0b92fa4836'
const draftDigest = '8a1f0c7d5e2b49368d1c7e0b92fa48365d1c7e0b92fa48360b7c5de1f2a94836'
const key_id = 'authority-2026-11'
const signature =
  'jAKzHlBf-gr_Ebj-aQvmsx01QLjdDZbGcUBv0ju1rroUPTibn1XSqEpgAJKiz8QnGwlNKy6_8T_sSMoIGZVm0g'
const from = '2026-11-24T09:30:00.000Z'
const until = '2026-12-24T09:30:00.000Z'
const soon = '2026-11-24T09:34:00.000Z'

const terms = {
  principal_id: 'acme',
  agent_id: ids.agent,
  purpose: 'Record what the runs of November used.',
  allowed_operations: ['usage-ledger-record'],
  rails: ['packetops'],
  resources: [],
  limits: { per_action_usd: 49, total_usd: 490, actions_max: 10 },
  valid_from: from,
  expires_at: until,
} as const

export const signed_mandate = {
  schema: 'authority-mandate.v1',
  context: authorityContexts.mandate,
  version: 1,
  mandate_id,
  issuer: BASE_URL,
  ...terms,
  may_redelegate: false,
  key_id,
  signature,
} as const

const bound = {
  issuer: BASE_URL,
  mandate_id,
  agent_id: ids.agent,
  operation_id: 'usage-ledger-record',
  input_sha256: digests.input,
} as const

const signed_action_grant = {
  schema: 'action-grant.v1',
  context: authorityContexts.grant,
  grant_id,
  ...bound,
  spend_usd_max: 0,
  expires_at: soon,
  nonce: '5f0c2a9e7b1d48635f0c2a9e7b1d4863',
  key_id,
  signature,
} as const

const usage = {
  kind: 'tool_call',
  rail: 'packetops',
  units: 3,
  unit: 'pages',
  idempotency_key: 'pages-2026-11-24',
} as const
const action = {
  operation_id: 'usage-ledger-record',
  input: usage,
  spend_usd: 0,
  idempotency_key: 'delegated-2026-11-24',
} as const

const contract = {
  mandate_schema: `${BASE_URL}/schemas/authority-mandate.v1.json`,
  grant_schema: `${BASE_URL}/schemas/action-grant.v1.json`,
  identity: {
    public: 'may draft a mandate',
    agent: 'Authorization: Bearer ag_…: inspects, evaluates and executes under its own mandates',
    operator: 'Authorization: Bearer op_…: issues mandates and grants, and revokes mandates',
  },
  tools: ['read_control_plane', 'draft_mandate', 'issue_mandate'],
  rails: ['packetops', 'diligenceops'],
  enforcement: {
    default: 'deny',
    precedence: 'deny',
    rules: ['mandate_genuine', 'operation_allowed', 'budget', 'grant_input'],
    contexts: authorityContexts,
    limits: authorityLimits,
  },
  delegable_operations: ['start-agent-run', 'usage-ledger-record'],
  key: { alg: 'Ed25519', key_id },
} as const
export const reason = {
  rule: 'operation_allowed',
  effect: 'allow',
  detail: 'the mandate permits usage-ledger-record',
} as const
const remaining = { usd: 490, actions: 10 } as const

/** One example for each mode of delegated authority. */
export const authorityExamples = {
  'authority-contract': { input: {}, output: contract },
  'read-control-plane': {
    input: { mode: 'read_control_plane' },
    output: {
      ...contract,
      live: { active_mandates: 3, revoked_mandates: 1, grants_last_hour: 12, paused: false },
    },
  },
  'draft-mandate': {
    input: { mode: 'draft_mandate', action: terms },
    output: {
      mandate_draft: terms,
      draft_id: `dr_${draftDigest}`,
      digest: draftDigest,
      missing: ['mandate_id', 'issuer', 'key_id', 'signature'],
      warnings: ['resources is empty: any wallet or credit of the agent may pay'],
    },
  },
  'inspect-mandate': {
    input: { mode: 'inspect_mandate', signed_mandate },
    output: {
      valid: true,
      state: 'active',
      checks: [
        { check: 'mandate_genuine', ok: true, detail: 'signed by this authority and stored' },
      ],
      remaining,
      grants: [
        { grant_id, operation_id: 'usage-ledger-record', state: 'issued', expires_at: soon },
      ],
    },
  },
  'issue-action-grant': {
    input: {
      mode: 'issue_action_grant',
      signed_mandate,
      action: { ...action, expires_in_seconds: 120 },
    },
    output: {
      signed_action_grant,
      grant_id,
      expires_at: soon,
      receipt: receiptOf('grant', grant_id, { mandate_id }),
    },
  },
  'evaluate-action': {
    input: { mode: 'evaluate_action', signed_mandate, action },
    output: {
      decision_id: 'dec_2f9a48635d1c7e0b92fa48360b7c5de1f2a948368a1f0c7d5e2b49368d1c7e0b',
      decision: 'allow',
      reasons: [reason],
      would_spend_usd: 0,
      remaining,
      grant_required: true,
      receipt: receiptOf('authority_decision', mandate_id, { decision: 'allow' }),
    },
  },
  'execute-delegated-action': {
    input: { mode: 'execute_delegated_action', signed_mandate, signed_action_grant, action },
    output: {
      delegated_action: {
        action_id,
        operation_id: 'usage-ledger-record',
        status: 200,
        result: { attribution: 'agent', receipt: null },
        signed_action: {
          schema: 'delegated-action.v1',
          context: authorityContexts.action,
          action_id,
          grant_id,
          ...bound,
          spent_usd: 0,
          result_status: 200,
          result_sha256: digests.result,
          executed_at: soon,
          key_id,
          signature,
        },
      },
      grant_id,
      mandate_remaining: { usd: 490, actions: 9 },
      receipt: receiptOf('delegated_action', action_id, { grant_id }),
    },
  },
  'revoke-mandate': {
    input: { mode: 'revoke_mandate', action: { mandate_id, reason: 'The work is done.' } },
    output: {
      mandate_id,
      state: 'revoked',
      revoked_grants: 1,
      receipt: receiptOf('mandate_revoked', mandate_id, { reason: 'The work is done.' }),
    },
  },
} as const
