/** What the library refuses and the protocol lets a server take. */

const VERSION_HEADER = 'mcp-protocol-version'
const BOTH = 'application/json, text/event-stream'

const methodOf = (message: unknown): unknown => Object(message).method

/** Whether a message asks for a page of the list of tools; the list is one page, so that no cursor of it exists. */
export const asksForPage = (message: unknown): boolean =>
  methodOf(message) === 'tools/list' && Object(Object(message).params).cursor !== undefined

/**
 * The request as the library takes it: a client that accepts JSON in any form may be answered, and `initialize` agrees on a version,
 * whichever one the header names.
 */
export function taken(asked: Request, message: unknown): Request {
  const headers = new Headers(asked.headers)
  if (acceptsJson(headers)) headers.set('accept', BOTH)
  if (methodOf(message) === 'initialize') headers.delete(VERSION_HEADER)
  return new Request(asked, { headers })
}

/** The answer, whose event is sent as JSON to a client that accepts no events. */
export async function accepted(asked: Request, answer: Response): Promise<Response> {
  const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isEvents || acceptsEvents(asked.headers)) return answer
  const [data = ''] = (await answer.text()).split('\n').flatMap(dataOf).slice(-1)
  const headers = new Headers(answer.headers)
  headers.set('content-type', 'application/json')
  return new Response(data, { status: answer.status, headers })
}

const dataOf = (line: string): string[] =>
  line.startsWith('data: {') ? [line.slice('data: '.length)] : []

const acceptOf = (headers: Headers): string => headers.get('accept') ?? '*/*'
const acceptsJson = (headers: Headers): boolean =>
  /\*\/\*|application\/(\*|json)/.test(acceptOf(headers))
const acceptsEvents = (headers: Headers): boolean =>
  /\*\/\*|text\/(\*|event-stream)/.test(acceptOf(headers))
