import { AsyncLocalStorage } from 'node:async_hooks'
import { originValidation, toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import { type Response as ExpressResponse, type RequestHandler, Router } from 'express'
import type { Logger } from 'pino'
import { readJson } from '#domain/core/json-text.ts'
import { limits } from '#domain/core/limits.ts'
import type { CallerTicket, RateLimits } from '../calls/limits.ts'
import { admit } from '../http/admit.ts'
import type { PathGroup } from '../http/operation-groups.ts'
import { readBody } from '../http/read-body.ts'
import { type Insiders, type Sender, senderOf } from '../http/sender.ts'
import {
  ENDPOINT,
  endpointPaths,
  legacyVersions,
  SERVER_NAME,
  serverVersion,
} from '../mcp-protocol.ts'
import type { AnyOperation } from '../operation.ts'
import { challenge, type Oauth, oauthMetadata } from './oauth.ts'
import { serveTasks, TASKS_EXTENSION, takesTasks } from './tasks.ts'
import type { Toolbox } from './toolbox.ts'

/** The server of one message of a sender: it lists the tools, calls them, and follows the tasks that they begin. */
function createToolServer(
  { instructions, listed, call, tasksOf }: Toolbox,
  sender: Sender,
  { era }: Pick<McpRequestContext, 'era'>,
): Server {
  const hasTasks = era === 'modern'
  const extensions = hasTasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {}
  const server = new Server(
    { name: SERVER_NAME, version: serverVersion },
    {
      capabilities: { tools: {}, ...extensions },
      instructions,
      supportedProtocolVersions: [...legacyVersions],
    },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: [...listed],
    ttlMs: 300_000,
    cacheScope: 'public',
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {} } = params
    const answer = call(name, { args, meta: mcpReq._meta ?? {}, request: mcpReq }, sender)
    if (answer === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${name}`)
    return answer
  })
  if (hasTasks) serveTasks(server, tasksOf(sender))
  return server
}

/** What the library refuses and the protocol lets a server take. */

const VERSION_HEADER = 'mcp-protocol-version'
const BOTH = 'application/json, text/event-stream'

const methodOf = (message: unknown): unknown => Object(message).method

/** Whether a message asks for a page of the list of tools; the list is one page, so that no cursor of it exists. */
const asksForPage = (message: unknown): boolean =>
  methodOf(message) === 'tools/list' && Object(Object(message).params).cursor !== undefined

/**
 * The request as the library takes it: a client that accepts JSON in any form may be answered, and `initialize` agrees on a version,
 * whichever one the header names.
 */
function taken(asked: Request, message: unknown): Request {
  const headers = new Headers(asked.headers)
  if (acceptsJson(headers)) headers.set('accept', BOTH)
  if (methodOf(message) === 'initialize') headers.delete(VERSION_HEADER)
  return new Request(asked, { headers })
}

/** The answer, whose event is sent as JSON to a client that accepts no events. */
async function accepted(asked: Request, answer: Response): Promise<Response> {
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

/** What MCP needs of a host. */
type Served = Insiders & {
  readonly toolbox: Toolbox
  readonly baseUrl: string
  readonly log: Logger
  /** Only where an issuer is configured. */
  readonly oauth?: Oauth | undefined
  readonly limits: Pick<RateLimits, 'address' | 'publicCaller'>
}

/** A message holds the input of a call two levels below its root. */
const DEPTH_MAX = limits.jsonDepthMax + 2

/**
 * MCP over Streamable HTTP, without sessions: revision 2026-07-28, and the versions from 2024-11-05 to 2025-11-25. What calls no
 * operation counts as a call of its address, and the list of the tools as a document, too.
 */
export function createMcpRoutes({ toolbox, baseUrl, log, oauth, ...served }: Served): Router {
  const senders = new AsyncLocalStorage<Sender>()
  const sender = () => {
    const found = senders.getStore()
    if (found === undefined) throw new Error('a tool is called outside a request')
    return found
  }
  // The list is written into each answer, so that its 140 KB are checked and serialized once.
  const unlisted = { ...toolbox, listed: [] }
  const listed = JSON.stringify(toolbox.listed)
  const handler = createMcpHandler((context) => createToolServer(unlisted, sender(), context), {
    // Nothing is ever announced, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error }, 'an MCP message was refused'),
  })
  const answer = toNodeHandler({
    fetch: async (asked, options) => {
      const message = options?.parsedBody
      const given = await handler.fetch(taken(asked, message), options)
      return accepted(asked, isListing(message) ? await withTools(given, listed) : given)
    },
  })
  const group: PathGroup = {
    path: ENDPOINT,
    methods: new Map([['POST', toolbox.operations]]),
  }
  const router = Router({ caseSensitive: true, strict: true })
  if (oauth !== undefined) router.use(oauthMetadata(oauth, baseUrl))
  const admitted = [fromOurPages(baseUrl), admit(group), readBody(group, served.limits)]
  router.all([...endpointPaths], ...admitted, async (request, response) => {
    const message = messageIn(request.body)
    if (message === undefined) return refuseMessage(response, ProtocolErrorCode.ParseError)
    // A batch would be many calls in one request.
    if (Array.isArray(message)) return refuseMessage(response, ProtocolErrorCode.InvalidRequest)
    const sentBy = { ...senderOf(request, response, served), overMcp: true } as const
    const operation = calledOperation(toolbox, message)
    if (operation === undefined)
      response.set((await countMessage(served.limits, message, sentBy.address)) ?? {})
    else response.locals['operation'] = operation.id
    const refusal = operation && (await oauth?.refusalFor(operation, sentBy))
    if (refusal !== undefined) {
      ;(await served.limits.address(sentBy.address)).assertGranted()
      return challenge(response, refusal, baseUrl)
    }
    if (asksForPage(message)) return refuseCursor(response, message)
    await senders.run(sentBy, () => answer(request, response, message))
  })
  return router
}

/** Refuses pages of other origins: a page whose name leads to this machine could call it (DNS rebinding). */
function fromOurPages(baseUrl: string): RequestHandler {
  const isOurs = originValidation([new URL(baseUrl).hostname, ...localhostAllowedHostnames()])
  return (request, response, next) => {
    if (isOurs(request, response)) next()
  }
}

/** The JSON of a body; undefined where it is none, names a member twice, or nests deeper than the input of any call may. */
function messageIn(body: unknown): unknown {
  const read = Buffer.isBuffer(body) ? readJson(body, DEPTH_MAX) : undefined
  return read !== undefined && 'value' in read ? read.value : undefined
}

/** The operation that a message calls: its pipeline counts the call. */
function calledOperation({ operationOf }: Toolbox, message: unknown): AnyOperation | undefined {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown }
  const { name, _meta: envelope } = Object(params) as { name?: unknown; _meta?: unknown }
  if (method !== 'tools/call' && !takesTasks({ envelope })) return undefined
  return operationOf(String(method), String(name))
}

/** Counts a message that calls no operation; the headers say what is left of the documents. */
async function countMessage(
  { address, publicCaller }: Served['limits'],
  message: unknown,
  from: string,
): Promise<CallerTicket['headers']> {
  ;(await address(from)).assertGranted()
  if (!isListing(message)) return undefined
  const document = await publicCaller(from, 'documents')
  document.assertGranted()
  return document.headers
}

const isListing = (message: unknown): boolean => Object(message).method === 'tools/list'

/** The answer of a server whose list is empty, with the list. */
async function withTools(answer: Response, listed: string) {
  const { status, headers } = answer
  // Within a string of JSON, the quotes would be escaped.
  const text = (await answer.text()).replace('"tools":[]', () => `"tools":${listed}`)
  return new Response(text, { status, headers })
}

function refuseCursor(response: ExpressResponse, message: unknown): void {
  const { id } = Object(message) as { id?: unknown }
  const text = 'the list is one page: send no cursor'
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  response.json(errorOf(ProtocolErrorCode.InvalidParams, text, known))
}

function refuseMessage(response: ExpressResponse, code: ProtocolErrorCode): void {
  const text =
    code === ProtocolErrorCode.ParseError
      ? `the body is not UTF-8 JSON of at most ${DEPTH_MAX} levels, or names a member twice`
      : 'send one message, not a batch'
  response.status(400).json(errorOf(code, text))
}

/** An error response of JSON-RPC 2.0, which repeats the id of the request where it is known. */
const errorOf = (code: ProtocolErrorCode, message: string, id: string | number | null = null) => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
})
