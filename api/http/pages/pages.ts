import type { RequestHandler, Router } from 'express'
import { refuse } from '#domain/core/errors.ts'
import { landingPage, type PageFacts } from './landing.ts'
import { llmsFullText, llmsText } from './llms.ts'
import { pageRouter } from './page-router.ts'
import { pagePolicy } from './policies.ts'
import { describeProblem, describeProblems, problemPage, problemsPage } from './problems.ts'
import { createRailPages } from './rails/routes.ts'
import { createVerifier } from './verify/routes.ts'
import { walkThroughScript } from './walk-through.ts'

const HTML = 'text/html; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

/** The pages of the base host for people: /, /rails, /problems, /verify and the walk-through; `createReference` serves what they load. */
export function createPages(facts: PageFacts): Router {
  const { router, at } = pageRouter()
  at(
    '/',
    pagePolicy,
    async (_request, response) => void response.type(HTML).send(await landingPage(facts)),
  )
  at('/walk-through.mjs', text(SCRIPT, walkThroughScript(facts.baseUrl)))
  at('/llms.txt', text(PLAIN, llmsText(facts)))
  at('/llms-full.txt', text(PLAIN, llmsFullText(facts)))
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
  return router.use(createRailPages(facts)).use(createVerifier())
}

const text =
  (type: string, body: string): RequestHandler =>
  (_request, response) =>
    void response.type(type).send(body)

/** The page for clients that prefer HTML, as browsers do; the description as JSON for all others. */
function negotiated(page: string, description: unknown): RequestHandler {
  return (request, response) => {
    response.vary('Accept').set('Access-Control-Allow-Origin', '*')
    const wanted = request.accepts(['application/json', 'application/problem+json', 'text/html'])
    if (wanted === 'text/html') response.type(HTML).send(page)
    else response.json(description)
  }
}
