import {
  claimAccessKey,
  clientOf,
  registerAgent,
  verifyReceipt,
  waitForRun,
} from '@agent-rails/client'

const hosts = { baseUrl: 'http://127.0.0.1:3000', osUrl: 'http://127.0.0.1:3001' }
const agent = await registerAgent(hosts, {
  name: 'My first agent',
  contact: { email: 'me@agent.example' },
  rails: ['packetops'],
  requested_scopes: ['runs:read', 'runs:write'],
  sandbox: true,
})
const client = clientOf(agent, await claimAccessKey(agent))

const quoted = await client.call('agent-quote', { rail: 'packetops', tier: 'entry' })
const started = await client.call('start-agent-run', {
  mode: 'start_agent_run',
  rail: 'packetops',
  tier: 'entry',
  usage: 'synthetic',
  quote_id: quoted.body.quote.quote_id,
  input: {
    title: 'Evidence for the audit',
    profile: 'soc2_evidence_packet',
    items: [{ name: 'system.md', section: 'system_description', content: 'A hosted ledger.' }],
  },
  on_gaps: 'report',
  accept_terms: true,
  idempotency_key: 'run-1',
})
const { run_id, state } = await waitForRun(client, started.body.run.run_id)
const { return_package } = (
  await client.call('fetch-return-package', { mode: 'fetch_return_package', run_id })
).body
console.log(state, return_package.result)

const keys = (await client.call('jwks', {})).body
console.log('signed:', (await verifyReceipt(agent.registered.receipt.jws, keys)).kind)
