import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startCandidates } from '../../../support/candidates.ts'
import { insertAuthorizedPayout } from '../../../support/payout-rows.ts'
import { agent, elsewhere, type Kept, open, operator, type Rows, receipt } from './row.ts'
import type { World } from './world.ts'

const candidateKept: Kept = {
  in: 'loop-review-console',
  as: operator,
  id: 'service_id',
  by: (subject_id) => ({ subject_id }),
}
const auditKept: Kept = { in: 'credential-policy-read', as: open, id: 'audit_event_id' }
/** A service of someone else that was read and that an operator has approved. */
async function approvedService({ apis, review }: World) {
  const others = await startCandidates(apis.db)
  try {
    const { service_id } = await others.observe(freshKey())
    await review('service_candidate', service_id)
  } finally {
    await others.stop()
  }
}
const candidate = (name: string) => ({
  mode: 'inspect_service' as const,
  candidate: {
    name,
    url: `https://${freshKey()}.northwind.example/openapi.json`,
    protocols: ['http' as const],
  },
})
const wish = (service_id: string) => ({
  mode: 'request_service_use' as const,
  service_id,
  task: 'Assemble the packet of the third quarter.',
  idempotency_key: freshKey(),
})
const profile = (description: string, publish_profile: boolean) => ({
  name: 'Ledger reader',
  description,
  capabilities: ['reads ledgers'],
  rails: ['packetops' as const],
  publish_profile,
  idempotency_key: freshKey(),
})
const published = (description: string) => (world: World) =>
  world.agent.client.call('agent-registry-profile', profile(description, true))
const submission = (directory: string) => ({
  directory,
  dry_run: true,
  idempotency_key: freshKey(),
})
const paused = (pausedNow: boolean) => ({
  scope: 'payouts' as const,
  paused: pausedNow,
  reason: 'the token issuer reports an incident',
  idempotency_key: freshKey(),
})
const signing = (context: string) => ({
  mode: 'sign_with_active_signing_version' as const,
  payload: { order: 'PO-7731' },
  context,
})
/** A statement of the agent, to be verified with another payload or its own. */
const statement =
  (order: string) =>
  async ({ agent: { client } }: World) => {
    const { jws } = (await client.call('signing-sign', signing('purchase orders'))).body
    return { mode: 'verify_signature_by_version' as const, jws, payload: { order } }
  }
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const publicOf = (key: KeyObject) => {
  const { x } = key.export({ format: 'jwk' })
  return { crv: 'Ed25519' as const, kty: 'OKP' as const, x: String(x) }
}
/** The wish of a new agent to sign with its next key, which both keys have signed. */
async function rotation({ newAgent }: World, revoke_old: boolean) {
  const { agent: holder, client, registered } = await newAgent()
  const next = generateKeyPairSync('ed25519')
  const [old, fresh] = [publicOf(holder.publicKeyObject), publicOf(next.publicKey)]
  const text = `service-agent-key-rotation-v1\nagent-id: ${registered.agent.agent_id}\nold-key-sha256: ${digest(JSON.stringify(old))}\nnext-key-sha256: ${digest(JSON.stringify(fresh))}`
  const signed_by_next = sign(null, Buffer.from(text), next.privateKey).toString('base64url')
  const next_key = { public_key: fresh, signed_by_old: holder.signText(text), signed_by_next }
  const asked = { mode: 'rotate_signing_credential', target: 'own_signing', next_key } as const
  const terms = { revoke_old, reason: 'yearly rotation', idempotency_key: freshKey() }
  return (await client.call('signing-rotate', { ...asked, ...terms })).body
}

/** Of a read that the registry and the configured address decide. */
const printed =
  'It prints the declarations of this build: the configured address and what is digested with it are all that a service can change.'
/** An agent that operators have trusted within limits. */
const limited = async ({ hosts, apis }: World) =>
  (
    await openAgentUse(
      hosts,
      apis.operator,
      { requested_scopes: ['profile:write'] },
      { max_usd: 500 },
    )
  ).client
/** A payout that a pause of payouts holds back. */
const authorizedPayout = ({ apis: { config, db } }: World) =>
  insertAuthorizedPayout(
    db,
    {
      payout_id: `po_${digest(freshKey())}`,
      creator: `0x${'c1'.repeat(20)}`,
      idempotency_key: freshKey(),
      recipient: `0x${'e5'.repeat(20)}`,
      amount_atomic: '1',
      memo: 'm',
      rail_reference: 'r',
      usage: 'synthetic',
      asset: config.ASSET_CONTRACT_ADDRESS,
      payout_wallet: config.PAYOUT_WALLET_ADDRESS,
      terms_sha256: 'a'.repeat(64),
    },
    Math.floor(Date.now() / 1000) + 3600,
  )

/** What the service says of itself and of others, and its keys and switches. */
export const discoveryRows: Rows = {
  'agent-tools': { as: open, thenAs: elsewhere, ask: {} },
  'mcp-descriptor': { as: open, thenAs: elsewhere, ask: {}, echoes: printed },
  'schema-index': { as: open, thenAs: elsewhere, ask: {}, echoes: printed },
  'trust-contract': { as: open, thenAs: elsewhere, ask: {} },
  'authority-key': { as: open, thenAs: elsewhere, ask: {} },
  'agents-start-here': { as: open, ask: { rail: 'packetops' }, other: { rail: 'tokenops' } },
  'agent-quickstart-read': {
    calls: [
      async ({ open: by }) => (await by.call('agent-quickstart-read', { rail: 'packetops' })).body,
      ({ open: by }) => problemOf(by.call('agent-quickstart-read', { rail: 'diligenceops' })),
    ],
  },
  'agent-registry-list': {
    as: open,
    ask: {},
    change: published('Reads ledgers of invoices.'),
  },
  'agent-registry-profile': {
    as: agent,
    thenAs: limited,
    ask: () => profile('Reads ledgers of usage.', true),
    other: () => profile('Reads ledgers of credit.', false),
    kept: receipt,
  },
  'service-scout-read': {
    as: open,
    ask: { task: 'Assemble a SOC 2 evidence packet' },
    other: { task: 'Compare our electricity bill with the meter' },
  },
  'service-scout-run': {
    as: open,
    ask: { task: 'Assemble a SOC 2 evidence packet' },
    other: { task: 'Compare our electricity bill with the meter' },
    kept: receipt,
  },
  'resolver-read': { as: open, ask: {}, change: approvedService },
  'find-services': {
    as: open,
    ask: { mode: 'find_services', task: 'Assemble a SOC 2 evidence packet' },
    other: { mode: 'find_services', task: 'Compare our electricity bill with the meter' },
  },
  'inspect-service': {
    as: open,
    ask: { mode: 'inspect_service', service_id: 'svc_packetops' },
    other: () => candidate('Translation of evidence'),
    kept: candidateKept,
  },
  'request-service-use': {
    as: agent,
    ask: wish('svc_packetops'),
    other: wish('svc_service_os'),
    kept: receipt,
  },
  'run-service': {
    as: open,
    ask: { mode: 'run_service', service_id: 'tool_agent_pricing', task: '{"rail":"packetops"}' },
    other: { mode: 'run_service', service_id: 'tool_agent_pricing', task: '{"rail":"tokenops"}' },
    kept: receipt,
  },
  'verify-receipt': {
    as: open,
    ask: ({ agent: { registered } }) => ({ receipt_id: registered.receipt.receipt_id }),
    other: ({ agent: { registered } }) => ({
      receipt: `${registered.receipt.jws.slice(0, -4)}AAAA`,
    }),
  },
  'callback-examples': { as: open, ask: { language: 'python' }, other: { language: 'go' } },
  'directory-read': {
    as: open,
    ask: {},
    change: ({ operator: by }) => by.call('directory-submit', submission('later.example')),
  },
  'hardening-read': {
    as: open,
    ask: {},
    change: ({ operator: by }) => by.call('pause-set', paused(true)),
  },
  'pause-set': {
    as: operator,
    ask: () => paused(true),
    change: authorizedPayout,
    other: () => paused(false),
    kept: receipt,
  },
  'signing-versions-read': {
    as: open,
    ask: {},
    other: ({ agentId }) => ({ agent_id: agentId }),
  },
  'signing-rotate': {
    calls: [(world) => rotation(world, false), (world) => rotation(world, true)],
    kept: receipt,
  },
  'signing-sign': {
    as: agent,
    thenAs: operator,
    ask: signing('purchase orders'),
    other: signing('deliveries'),
    kept: auditKept,
  },
  'signing-verify': { as: open, ask: statement('PO-7731'), other: statement('PO-9') },
  'credential-policy-read': {
    as: open,
    ask: {},
    change: ({ open: by }) => by.call('credential-enforce', { operation_id: 'pause-set' }),
  },
  'credential-enforce': {
    as: agent,
    ask: { operation_id: 'start-agent-run', rail: 'packetops', amount_usd: 107 },
    other: { operation_id: 'pause-set' },
    kept: auditKept,
  },
}
