import { randomUUID } from 'node:crypto'
import { operations } from '../../../api/operations/index.ts'
import { type Buyer, openBuyer } from './buyers.ts'
import { drive, median, type Spread, show, spread } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { type Turns, turns } from './sizing.ts'

const CALLERS = 8
const tools = ['quote_run', 'start_rail_run', 'get_run_status'] as const
type Tool = (typeof tools)[number]
/** A call of a tool; answers its milliseconds. */
type Send = (tool: Tool, input: object) => Promise<number>
/** The medians of each turn, of the same calls over both. */
export type Overhead = { http_ms: Spread; mcp_ms: Spread; more_ms: Spread; ratio: Spread }

/** What a call costs over MCP beyond its HTTP call: pairs of both in alternating order, by eight callers at once. */
export async function measureMcp(
  fixture: Fixture,
  { pairs, ...asked }: Turns & { pairs: number },
): Promise<Record<Tool, Overhead>> {
  const buyer = await openBuyer(fixture)
  const [baseUrl = ''] = fixture.stack.baseUrls
  const sends = { http: overHttp(baseUrl, buyer), mcp: overMcp(baseUrl, buyer) }
  const { run_id } = await buyer()
  const inputs: Record<Tool, () => Promise<object>> = {
    quote_run: async () => ({
      mode: 'quote_run',
      rail: 'packetops',
      tier: 'entry',
      idempotency_key: randomUUID(),
    }),
    start_rail_run: () => buyer.input(),
    get_run_status: async () => ({ mode: 'get_run_status', run_id, wait_ms: 0 }),
  }
  const times: Record<Tool, { http: number; mcp: number }[]> = {
    quote_run: [],
    start_rail_run: [],
    get_run_status: [],
  }
  for (const _ of turns(asked))
    for (const tool of tools) {
      const { times: taken } = await drive(
        CALLERS,
        Array.from({ length: pairs }, (_, pair) => pair),
        async (pair, { note }) => {
          const both = pair % 2 === 0 ? (['http', 'mcp'] as const) : (['mcp', 'http'] as const)
          for (const over of both) note(over, await sends[over](tool, await inputs[tool]()))
        },
      )
      times[tool].push({ http: median(taken['http'] ?? []), mcp: median(taken['mcp'] ?? []) })
    }
  return Object.fromEntries(tools.map((tool) => [tool, overheadOf(times[tool])])) as Record<
    Tool,
    Overhead
  >
}

const overheadOf = (taken: readonly { http: number; mcp: number }[]): Overhead => ({
  http_ms: spread(taken.map(({ http }) => http)),
  mcp_ms: spread(taken.map(({ mcp }) => mcp)),
  more_ms: spread(taken.map(({ http, mcp }) => mcp - http)),
  ratio: spread(taken.map(({ http, mcp }) => mcp / http)),
})

function overHttp(baseUrl: string, { credential }: Buyer): Send {
  return async (tool, input) => {
    const operation = operations.find((one) => one.tool === tool)
    if (operation === undefined) throw new Error(`no operation has the tool ${tool}`)
    return timed(`${baseUrl}${operation.http.path}`, credential, input)
  }
}

function overMcp(baseUrl: string, { credential }: Buyer): Send {
  return (tool, input) =>
    timed(`${baseUrl}/api/mcp`, credential, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: input },
    })
}

async function timed(url: string, credential: string, body: object): Promise<number> {
  const begun = performance.now()
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  const taken = performance.now() - begun
  if (!answer.ok || text.includes('"isError":true'))
    throw new Error(`${url}: ${answer.status} ${text.slice(0, 500)}`)
  return taken
}

export function printMcp(measured: Record<Tool, Overhead>): Record<Tool, Overhead> {
  console.log('\nMCP: median of a call over HTTP and over MCP, eight callers')
  console.table(
    Object.fromEntries(
      Object.entries(measured).map(([tool, { http_ms, mcp_ms, more_ms, ratio }]) => [
        tool,
        {
          http_ms: show(http_ms),
          mcp_ms: show(mcp_ms),
          more_ms: show(more_ms),
          ratio: show(ratio),
        },
      ]),
    ),
  )
  return measured
}
