import type { Router } from 'express'
import helmet from 'helmet'
import { rails } from '#domain/rails/index.ts'
import type { PageFacts } from '../landing.ts'
import { packed, pageRouter } from '../page-router.ts'
import { pagePolicy } from '../policies.ts'
import { exampleOf, railSample } from './example.ts'
import { railPage } from './page.ts'

/** A report has its styles in itself and loads nothing. */
const reportPolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    sandbox: [],
    defaultSrc: ["'none'"],
    styleSrc: ["'unsafe-inline'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
})

/** The page of each rail, and its sample: input, result, report and worked example. */
export function createRailPages({ baseUrl }: Pick<PageFacts, 'baseUrl'>): Router {
  const { router, at } = pageRouter()
  for (const rail of rails) {
    const path = `/rails/${rail.key}`
    let made: ReturnType<typeof railSample> | undefined
    const sample = () => {
      made ??= railSample(rail)
      return made
    }
    const printed = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
    at(
      path,
      pagePolicy,
      packed('html', () => railPage(rail, { baseUrl, work: sample().work })),
    )
    at(
      `${path}/example.sh`,
      packed('text/plain; charset=utf-8', () => exampleOf(rail, baseUrl)),
    )
    at(
      `${path}/input.json`,
      packed('json', () => printed(rail.sandboxInput)),
    )
    at(
      `${path}/result.json`,
      packed('json', () => printed(sample().work.result)),
    )
    at(
      `${path}/report.html`,
      reportPolicy,
      packed('html', () => sample().files['report.html'] ?? ''),
    )
  }
  return router
}
