type Answer = {
  result?: Record<string, unknown> & {
    structuredContent?: Record<string, unknown>
    content?: { type: string; text: string }[]
  }
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

const VERSION = '2026-07-28'
const reserved = (name: string) => `io.modelcontextprotocol/${name}`
const TASKS = { extensions: { [reserved('tasks')]: {} } }

/** A caller of revision 2026-07-28 that declares the Tasks extension, which no client of an SDK does yet; `capabilities` replace it. */
export function openTaskCaller(
  baseUrl: string,
  headers: Record<string, string> = {},
  capabilities: object = TASKS,
) {
  const send = async (
    method: string,
    { _meta, ...params }: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const envelope = {
      [reserved('protocolVersion')]: VERSION,
      [reserved('clientInfo')]: { name: 'test', version: '1' },
      [reserved('clientCapabilities')]: capabilities,
    }
    const answer = await fetch(new URL('/api/mcp', baseUrl), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': VERSION,
        'Mcp-Method': method,
        'Mcp-Name': String(params['name'] ?? params['taskId']),
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...params, _meta: { ...envelope, ...(_meta as object) } },
      }),
      ...(signal === undefined ? {} : { signal }),
    })
    return (await answer.json()) as Answer
  }
  return {
    call: (name: string, args: object, _meta: object = {}, signal?: AbortSignal) =>
      send('tools/call', { name, arguments: args, _meta }, signal),
    get: (taskId: string) => send('tasks/get', { taskId }),
    cancel: (taskId: string) => send('tasks/cancel', { taskId }),
    update: (taskId: string) => send('tasks/update', { taskId, inputResponses: {} }),
  }
}
