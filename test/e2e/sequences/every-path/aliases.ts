import { freshKey } from '../../../support/agent-use.ts'
import { connectFormerMcp, connectMcp, type McpClient } from '../../../support/mcp.ts'
import { production, tested } from './production.ts'
import { type Kept, open, type Row } from './row.ts'
import type { Alias, World } from './world.ts'

/** A row of a path that is another one of an operation, or an endpoint of MCP. */
export type PathRow = Row<'agent-tools'>
const quoteKept: Kept = { in: 'agent-quote-read', as: open, id: 'quote_id' }
const over = (connect: (base: string) => Promise<McpClient>): PathRow => {
  const quoted = async ({ hosts }: World, tier: 'standard' | 'pro') => {
    const mcp = await connect(hosts.base)
    const asked = { rail: 'packetops', tier, idempotency_key: freshKey() }
    const { structuredContent } = await mcp.call('quote_run', asked)
    await mcp.close()
    return structuredContent
  }
  return {
    calls: [(world) => quoted(world, 'standard'), (world) => quoted(world, 'pro')],
    kept: quoteKept,
  }
}
const tools: Alias = ['/agent-tools.json', '/api/agent-tools']
const harness: Alias = ['/api/agent-to-agent-test-harness', '/api/agent-test-harness']
const execution: Alias = [
  '/api/first-paid-production-run-execution',
  '/api/first-paid-production-run',
]
const played = (world: World, scenario: string) =>
  tested({ open: world.openAt(harness) }, 'agent-harness', scenario)
const executed = async (world: World, tier: 'entry' | 'standard') => {
  const start = await production(world, true)
  const { quote_id } = await world.quote('packetops', tier)
  const { payment_reference_id } = await world.present(quote_id)
  await world.review('payment_reference', payment_reference_id)
  const asked = { ...start, tier, quote_id, payment_reference_id }
  return (await world.agentAt(execution).call('first-paid-run-execute', asked)).body
}

/** Paths without an operation of their own. */
export const pathRows: Readonly<Record<string, PathRow>> = {
  '/api/mcp': over((base) => connectMcp(base)),
  '/api/mcp-server-wrapper': over((base) => connectFormerMcp(base)),
  '/api/agent-tools': {
    as: ({ openAt }) => openAt(tools),
    thenAs: ({ elsewhere }) => elsewhere(tools),
    ask: {},
  },
  '/api/agent-test-harness': {
    calls: [(world) => played(world, 'discovery'), (world) => played(world, 'MCP tools')],
    kept: { in: 'agent-harness-read', as: ({ openAt }) => openAt(harness), id: 'test_run_id' },
  },
  '/api/first-paid-production-run': {
    calls: [(world) => executed(world, 'entry'), (world) => executed(world, 'standard')],
    kept: { in: 'first-paid-run-read', as: ({ agentAt }) => agentAt(execution), id: 'run_id' },
  },
}
