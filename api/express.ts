import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { refuse } from '#domain/core/errors.ts'
import type { ReturnPackage } from '#domain/runs/return-package.ts'
import type { Executed, Operations } from './calls/call.ts'
import type { RateLimits } from './calls/limits.ts'
import { trustProxyOf } from './client-address.ts'
import type { CallRequest } from './context.ts'
import { admit } from './http/admit.ts'
import { answerError } from './http/answer-error.ts'
import { identify } from './http/identify.ts'
import type { Metrics } from './http/metrics.ts'
import { groupByPath, type PathGroup } from './http/operation-groups.ts'
import { documentPages } from './http/pages/documents.ts'
import { readBody, streamOf } from './http/read-body.ts'
import { sendAnswer } from './http/send-answer.ts'
import { type Insiders, isInsider, senderOf } from './http/sender.ts'
import type { Oauth } from './mcp/oauth.ts'
import { operationToolbox } from './mcp/operation-toolbox.ts'
import { createMcpRoutes } from './mcp/routes.ts'
import type { AnyOperation, Host } from './operation.ts'

/** One listener's surface: the operations of its host, and the pipeline of each call. */
export type Surface = Insiders & {
  readonly registry: readonly AnyOperation[]
  readonly host: Exclude<Host, 'both'>
  readonly baseUrl: string
  readonly osUrl: string
  /** `TRUST_PROXY` of the configuration. */
  readonly trustProxy: string
  readonly log: Logger
  readonly metrics: Metrics
  readonly limits: Pick<RateLimits, 'address' | 'publicCaller'>
  readonly call: (operations: Operations, request: CallRequest) => Promise<Executed>
  /** Writes the files of a return package; without it, a package is answered as JSON alone. */
  readonly packageTexts?: (made: ReturnPackage) => Promise<Record<string, string>>
  /** Access to MCP by tokens of an issuer elsewhere. */
  readonly oauth?: Oauth | undefined
  /** Where people look at a transaction; empty for a chain without a block explorer. */
  readonly explorerUrl?: string
  /** Pages for people. */
  readonly pages?: RequestHandler
}

/** The Express app of one host, derived from the registry: one route per path, problem+json for every refusal. */
export function createApp(surface: Surface): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  app.set('trust proxy', trustProxyOf(surface.trustProxy))
  app.use(helmet(), identify, observe(surface))
  app.get('/metrics', printMetrics(surface))
  if (surface.pages !== undefined) app.use(surface.pages)
  const served = surface.registry.filter(
    ({ http }) => http.host === surface.host || http.host === 'both',
  )
  if (surface.host === 'base')
    app.use(createMcpRoutes({ ...surface, toolbox: operationToolbox(served, surface.call) }))
  for (const group of groupByPath(served)) {
    app.all(
      routeOf(group.path),
      admit(group),
      readBody(group, surface.limits),
      answerCall(surface, group),
    )
  }
  for (const { path } of groupByPath(surface.registry.filter((one) => !served.includes(one))))
    app.all(routeOf(path), elsewhere(surface))
  app.use(() => {
    throw refuse('not_found', {
      detail: 'there is nothing at this path',
    })
  })
  app.use(answerError(surface))
  return app
}

const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** 404 for a path of the other host, with the address there. */
function elsewhere({ host, baseUrl, osUrl }: Surface): RequestHandler {
  const url = host === 'os' ? baseUrl : osUrl
  return () => {
    throw refuse('not_found', {
      detail: `this path is on the other host, ${url}`,
      next_action: `Send the same call to ${url}.`,
    })
  }
}

/** Counts and logs each answer by its operation and route, probes only for debugging; a raw path may hold a token and is never written. */
function observe({ log, metrics }: Surface): RequestHandler {
  return (request, response, next) => {
    const started = performance.now()
    response.on('close', () => {
      const {
        requestId,
        traceId,
        operation = 'none',
        route = 'none',
        probe = false,
      } = response.locals
      const ms = Math.round(performance.now() - started)
      const status = response.writableFinished ? response.statusCode : 499
      metrics.observe(operation, status, ms / 1000)
      const ids = { request_id: requestId, trace_id: traceId }
      const facts = { ...ids, operation, method: request.method, route, status, ms }
      log[probe ? 'debug' : 'info'](facts, 'answered')
    })
    next()
  }
}

/** Prometheus text, for this machine and for operators; 404 for all others. */
function printMetrics({ metrics, ...insiders }: Surface): RequestHandler {
  return async (request, response, next) => {
    if (!(await isInsider(request, insiders))) return next()
    response.locals['probe'] = true
    const { type, text } = await metrics.print()
    response.type(type).send(text)
  }
}

function answerCall(
  { call, packageTexts, explorerUrl = '', ...insiders }: Surface,
  { methods }: PathGroup,
): RequestHandler {
  return async (request, response) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const [first, ...others] = methods.get(method) ?? []
    if (first === undefined) throw new Error(`no operation for ${method}`)
    const body: Buffer | null = Buffer.isBuffer(request.body) ? request.body : null
    response.locals['probe'] = first.http.unlimited === true
    const { query, path } = request
    const { answer, operation } = await call([first, ...others], {
      ...senderOf(request, response, insiders),
      body,
      ...streamOf(request, first),
      query,
      method,
      path,
      params: request.params as Record<string, string>,
    })
    if (operation !== undefined) response.locals['operation'] = operation.id
    const page = operation && documentPages[operation.id]
    const asPage = page && ((shown: Record<string, unknown>) => page(shown, { explorerUrl, path }))
    const named = page && query['as']
    const form = { ...operation, ...operation?.http, asPage, named, packageTexts }
    await sendAnswer(response, answer, form)
  }
}
