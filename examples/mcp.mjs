// An agent buys a run through MCP, with a client of its own: @modelcontextprotocol/client.

import { claimAccessKey, registerAgent } from '@agent-rails/client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const hosts = { baseUrl: 'http://127.0.0.1:3000', osUrl: 'http://127.0.0.1:3001' }
const agent = await registerAgent(hosts, {
  name: 'An MCP client',
  contact: { email: 'me@agent.example' },
  rails: ['packetops'],
  requested_scopes: ['runs:read', 'runs:write'],
  sandbox: true,
})
const authorization = `Bearer ${await claimAccessKey(agent)}`

const mcp = new Client({ name: 'example', version: '1.0.0' })
await mcp.connect(
  new StreamableHTTPClientTransport(new URL(`${hosts.baseUrl}/api/mcp`), {
    requestInit: { headers: { authorization } },
  }),
)
const use = async (name, input) => {
  const { structuredContent, isError } = await mcp.callTool({ name, arguments: input })
  if (isError) throw new Error(`${structuredContent.code}: ${structuredContent.detail}`)
  return structuredContent
}

const { quote } = await use('quote_run', { rail: 'packetops', tier: 'entry' })
const { run } = await use('start_rail_run', {
  rail: 'packetops',
  tier: 'entry',
  usage: 'synthetic',
  quote_id: quote.quote_id,
  input: {
    title: 'Evidence for the audit',
    profile: 'soc2_evidence_packet',
    items: [{ name: 'system.md', section: 'system_description', content: 'A hosted ledger.' }],
  },
  on_gaps: 'report',
  accept_terms: true,
  idempotency_key: 'mcp-1',
})
let { state } = run
while (state !== 'closed' && state !== 'exception_open')
  ({ state } = (await use('get_run_status', { run_id: run.run_id, wait_ms: 20_000 })).run)
console.log(state, 'through', mcp.getServerVersion().name)
await mcp.close()
