import { join } from 'node:path'
import express, { type RequestHandler, Router } from 'express'
import helmet from 'helmet'
import { refuse } from '#domain/core/errors.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import type { Attempts } from '../../auth/attempts.ts'
import { clientAddress } from '../../client-address.ts'
import { changeEvents } from './events.ts'
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
