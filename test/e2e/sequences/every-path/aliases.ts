import { freshKey, problemOf } from '../../../support/agent-use.ts'
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
/** A run that is paid, or the problem of one that is not. */
const executed = async (world: World, isPaid: boolean) => {
  const asked = await production(world, isPaid)
  const call = world.agentAt(execution).call('first-paid-run-execute', asked)
  return isPaid ? (await call).body : problemOf(call)
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
    calls: [(world) => executed(world, false), (world) => executed(world, true)],
    kept: { in: 'first-paid-run-read', as: ({ agentAt }) => agentAt(execution), id: 'run_id' },
  },
}
