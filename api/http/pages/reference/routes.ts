import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'express'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import type { HostUrls } from '../../openapi.ts'
import { packed } from '../packed.ts'
import { pageRouter } from '../page-router.ts'
import { callingPagePolicy } from '../policies.ts'
import { copyScript } from '../snippet.ts'
import { icon, stylesheet } from '../stylesheet.ts'
import type { Reference } from './entry.ts'
import { indexPage, operationPage, searchDocuments, servedBy } from './reference.ts'
import { referenceStylesheet } from './stylesheet.ts'

/** What `npm run build` makes of api/reference. */
const script = join(packageRoot, 'dist/reference/reference.js')

type Facts = Pick<Reference, 'registry' | 'environment'> & HostUrls

/** The reference of one host: /docs, a page for each operation, and what they load. */
export function createReference(
  { registry, environment, baseUrl, osUrl }: Facts,
  host: Reference['host'],
): Router {
  const reference = { registry, environment, host, urls: { baseUrl, osUrl } }
  const { router, at } = pageRouter()
  at(
    '/docs',
    callingPagePolicy,
    packed('html', () => indexPage(reference)),
  )
  at(
    '/docs/reference.css',
    packed('css', () => referenceStylesheet),
  )
  at(
    '/docs/search.json',
    packed('json', () => JSON.stringify(searchDocuments(reference))),
  )
  at(
    '/docs/reference.js',
    packed('js', () => readFileSync(script, 'utf8')),
  )
  at(
    '/pages/pages.css',
    packed('css', () => stylesheet),
  )
  at(
    '/pages/copy.js',
    packed('js', () => copyScript),
  )
  at(
    '/pages/icon.svg',
    packed('svg', () => icon),
  )
  for (const operation of servedBy(reference))
    at(
      `/docs/${operation.id}`,
      callingPagePolicy,
      packed('html', () => operationPage(operation, reference)),
    )
  // A link to any operation leads to its page, whichever host has it.
  const other = host === 'base' ? osUrl : baseUrl
  for (const { id, http } of registry)
    if (http.host !== host && http.host !== 'both')
      at(`/docs/${id}`, (_request, response) => response.redirect(`${other}/docs/${id}`))
  return router
}
