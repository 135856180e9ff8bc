import { type RequestHandler, Router } from 'express'
import helmet from 'helmet'
import { refuse } from '#domain/core/errors.ts'
import { landingPage, type PageFacts } from './landing.ts'
import { describeProblem, describeProblems, problemPage, problemsPage } from './problems.ts'
import { referenceAssets, referencePage, referenceScript } from './reference.ts'
import { copyScript } from './snippet.ts'
import { icon, stylesheet } from './stylesheet.ts'
import { walkThroughScript } from './walk-through.ts'

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** The pages of the base host for people: /, /docs, /problems and what they load, all of it from this host. */
export function createPages(facts: PageFacts): Router {
  const router = Router({ caseSensitive: true })
  const at = (path: string, ...handlers: RequestHandler[]) =>
    router.route(path).all(onlyGet(path)).get(handlers)
  at(
    '/',
    pagePolicy,
    async (_request, response) => void response.type(HTML).send(await landingPage(facts)),
  )
  at('/docs', referencePolicy, text(HTML, referencePage))
  at('/docs/start.js', text(SCRIPT, referenceScript))
  for (const [name, file] of referenceAssets) at(`/docs/${name}`, installedFile(file))
  at('/pages/pages.css', text('text/css; charset=utf-8', stylesheet))
  at('/pages/copy.js', text(SCRIPT, copyScript))
  at('/pages/icon.svg', text('image/svg+xml', icon))
  at('/walk-through.mjs', text(SCRIPT, walkThroughScript(facts.baseUrl)))
  const problems = describeProblems(facts)
  at('/problems', pagePolicy, negotiated(problemsPage(problems), { problems }))
  at('/problems/:code', pagePolicy, (request, response, next) => {
    const problem = describeProblem(String(request.params['code']), facts)
    if (problem === undefined)
      throw refuse('not_found', {
        detail: 'there is no such code',
      })
    return negotiated(problemPage(problem), problem)(request, response, next)
  })
  return router
}

/** Names the route for the log, and lets nothing but GET and HEAD through. */
function onlyGet(path: string): RequestHandler {
  return (request, response, next) => {
    response.locals['route'] = path
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    response.set('Allow', 'GET, HEAD')
    throw refuse('method_not_allowed', {
      detail: `${request.method} is not a method of this path`,
    })
  }
}

const text =
  (type: string, body: string): RequestHandler =>
  (_request, response) =>
    void response.type(type).send(body)

/** A file of an installed package, which changes only with its version. */
const installedFile =
  (file: string): RequestHandler =>
  (_request, response) =>
    response.set('Cache-Control', 'public, max-age=3600').sendFile(file)

/** The page for clients that prefer HTML, as browsers do; the description as JSON for all others. */
function negotiated(page: string, description: unknown): RequestHandler {
  return (request, response) => {
    response.vary('Accept').set('Access-Control-Allow-Origin', '*')
    const wanted = request.accepts(['application/json', 'application/problem+json', 'text/html'])
    if (wanted === 'text/html') response.type(HTML).send(page)
    else response.json(description)
  }
}

const policy = (more: Record<string, string[]>): RequestHandler =>
  helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      ...more,
    },
  })
const pagePolicy = policy({})
/** Swagger UI writes styles into its elements, draws with data URLs, and calls this host. */
const referencePolicy = policy({
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
})
