import { join } from 'node:path'
import express, { type RequestHandler, Router } from 'express'
import helmet from 'helmet'
import { refuse } from '#domain/core/errors.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import type { Attempts } from '../../auth/attempts.ts'
import { clientAddress } from '../../client-address.ts'

import type { CallRequest } from '../../context.ts'
import type { oidcSignIn } from './sign-in.ts'

type ConsoleDeps = Parameters<typeof changeEvents>[0] & {
  /** Undefined where operators sign in only with a credential. */
  signIn?: ReturnType<typeof oidcSignIn> | undefined
  attempts: Attempts
}

/** What `npm run build` makes of api/console. */
const files = join(packageRoot, 'dist/console')

/** The operator console at /console: static files of this host, the stream of changes, and signing in at an issuer. */
export function createConsole({ signIn, attempts, ...events }: ConsoleDeps): Router {
  const router = Router({ caseSensitive: true })
  router.get('/console/events', changeEvents(events))
  router.get('/console/settings.json', named('/console/settings.json'), (_request, response) => {
    response.json({ sign_in_at_issuer: signIn !== undefined })
  })
  router.get('/console/oidc/begin', named('/console/oidc/begin'), async (request, response) => {
    if (signIn === undefined) throw noIssuer()
    await signIn.begin(request, response)
  })
  router.get('/console/oidc/finish', named('/console/oidc/finish'), async (request, response) => {
    if (signIn === undefined) throw noIssuer()
    const address = clientAddress(request)
    // To finish asks the issuer.
    await attempts.assertFew(address)
    await attempts.guard({ address }, () => signIn.finish(request, response))
  })
  router.use(
    '/console/assets',
    named('/console/assets'),
    express.static(join(files, 'assets'), { immutable: true, maxAge: '1y', index: false }),
  )
  // Every page of the console is this one, which shows what its address says.
  router.get(
    ['/console', '/console/{*page}'],
    named('/console'),
    consolePolicy,
    (_request, response) => {
      response.set('Cache-Control', 'no-cache').sendFile(join(files, 'index.html'))
    },
  )
  return router
}

/** Names the route for the log. */
function named(route: string): RequestHandler {
  return (_request, response, next) => {
    response.locals['route'] = route
    next()
  }
}

const noIssuer = () =>
  refuse('not_found', {
    detail: 'no issuer is configured',
    next_action: 'Sign in with the credential of an operator.',
  })

/** Only files of this host run and load; texts of agents never become markup (Trusted Types). */
const consolePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrcElem: ["'self'"],
    // Charts and floating parts set their position in the style attribute.
    styleSrcAttr: ["'unsafe-inline'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
})

type EventDeps = {
  changes: Pick<Changes, 'subscribe'>
  /** Throws 401 unless these headers are an operator's, and 429 after too many failures of an address. */
  assertOperator: (headers: CallRequest['headers'], address: string) => Promise<void>
  /** Ends all streams. */
  ended: AbortSignal
}

/** Streams of one process at once. */
const STREAMS_MAX = 100
const CHANGES_EACH_MS = 1_000
/** How often a stream says that it is alive, and checks that its operator still is one. */
const ALIVE_EACH_MS = 15_000
const IDS_MAX = 200

/**
 * GET /console/events: the ids of payouts, tasks, payments and calls that changed, as Server-Sent Events, at most once a second. The
 * page then reads what it shows again. It holds nothing else, so a lost event is harmless.
 */
function changeEvents({ changes, assertOperator, ended }: EventDeps): RequestHandler {
  let streams = 0
  return async (request, response) => {
    response.locals['route'] = '/console/events'
    const assertStill = () => assertOperator(request.headers, clientAddress(request))
    await assertStill()
    if (streams >= STREAMS_MAX)
      throw refuse('unavailable', { detail: 'too many streams are open', retry_after_ms: 30_000 })
    streams += 1
    response.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    response.write(': connected\n\n')
    const seen = new Set<string>()
    const unsubscribe = changes.subscribe((id) => {
      if (seen.size < IDS_MAX) seen.add(id)
    })
    const report = setInterval(() => {
      if (seen.size === 0) return
      response.write(`event: changed\ndata: ${JSON.stringify([...seen])}\n\n`)
      seen.clear()
    }, CHANGES_EACH_MS)
    const alive = setInterval(() => {
      assertStill().then(
        () => response.write(': alive\n\n'),
        () => response.end(),
      )
    }, ALIVE_EACH_MS)
    const end = () => response.end()
    ended.addEventListener('abort', end)
    response.on('close', () => {
      streams -= 1
      unsubscribe()
      clearInterval(report)
      clearInterval(alive)
      ended.removeEventListener('abort', end)
    })
  }
}
