import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'express'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import type { HostUrls } from '../../openapi.ts'
import { packed, pageRouter } from '../page-router.ts'
import { callingPagePolicy } from '../policies.ts'
import { copyScript } from '../snippet.ts'
import { icon, stylesheet } from '../stylesheet.ts'
import type { Reference } from './entry.ts'
import { indexPage, operationPage, searchDocuments, servedBy } from './reference.ts'

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

/** What the reference adds to the stylesheet of all pages. */
const referenceStylesheet = `.top { max-width: 80rem; }
.reference.page { max-width: 80rem; padding-top: .5rem; }
.columns { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 0 2.5rem; align-items: start; }
.side { position: sticky; top: 0; max-height: 100vh; overflow: auto; padding: 1rem .75rem 2rem .25rem; font-size: .94rem; }
.entry { min-width: 0; max-width: 56rem; }
.reference label { display: block; font-weight: 600; margin: .7rem 0 .2rem; }
.reference input, .reference textarea, .reference select {
  width: 100%; font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--soft); border-radius: 6px; padding: .45rem .6rem;
}
.reference textarea { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .87rem; line-height: 1.5; resize: vertical; }
.reference input:focus-visible, .reference textarea:focus-visible, .reference summary:focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
.side ul { list-style: none; margin: 0; padding: 0; }
.side li a { display: block; padding: .22rem .5rem; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; border-radius: 4px; }
.side li a:hover { text-decoration: underline; }
.side li a[aria-current] { color: var(--mark); font-weight: 600; box-shadow: inset 3px 0 var(--mark); }
.side .families { margin-top: .8rem; border-top: 1px solid var(--line); }
.side .families details { margin: 0; } .side .families summary { padding: .18rem 0; }
#found { font-size: .88rem; color: var(--soft); margin: .3rem 0; min-height: 1.4em; }
#results li { border-bottom: 1px solid var(--line); }
#results small { display: block; color: var(--soft); font-size: .85rem; }
.reference .trail { color: var(--soft); font-size: .92rem; margin: 1rem 0 0; }
.reference h1 { margin: .2rem 0 .4rem; max-width: none; font-size: clamp(1.5rem, 4vw, 2rem); }
.reference h1 code { font-size: 1em; }
.reference .call { max-width: none; overflow-wrap: anywhere; }
.verb { font: 700 .78rem ui-monospace, monospace; padding: .12rem .45rem; border: 1px solid var(--mark); color: var(--mark); border-radius: 4px; }
.mode { color: var(--soft); margin-left: .5rem; }
.required { color: var(--mark); font-size: .85em; font-weight: 600; white-space: nowrap; }
.reference .operations { list-style: none; padding: 0; margin: 0; border-top: 1px solid var(--line); }
.reference .operations li { padding: .7rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 1rem; }
.reference .operations li > a { font: 600 1rem ui-monospace, monospace; margin-right: .8rem; }
.reference .operations .place { overflow-wrap: anywhere; font-size: .94rem; }
.reference .operations p { margin: .2rem 0 0; color: var(--soft); }
.reference .operations li:target { box-shadow: inset 3px 0 var(--mark); padding-left: .8rem; }
.reference .rows { table-layout: fixed; }
.reference .rows caption { text-align: left; color: var(--soft); font-size: .88rem; padding-bottom: .3rem; }
.reference .rows th:first-child { width: 34%; } .reference .rows th:nth-child(2) { width: 24%; }
.reference .rows th, .reference .rows td, .reference .rows td:last-child { white-space: normal; overflow-wrap: anywhere; }
.reference .rows tbody th { font-weight: 400; color: var(--ink); }
.reference .rows code { white-space: normal; }
.reference [role=tablist] { display: flex; gap: .25rem; margin: 1rem 0 0; }
.reference [role=tab], .reference .acts button {
  font: inherit; font-size: .92rem; padding: .35rem .9rem; color: var(--ink); background: var(--panel); border: 1px solid var(--soft); border-radius: 6px; cursor: pointer;
}
.reference [role=tab][aria-selected=true], .reference .acts button[type=submit] { background: var(--mark); border-color: var(--mark); color: var(--panel); font-weight: 600; }
.reference .tabbed h3 { display: none; }
.reference fieldset { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 1rem; padding: .4rem 1rem 1rem; min-width: 0; }
.reference legend { font-weight: 600; padding: 0 .4rem; }
.reference .acts { margin: .8rem 0; }
.reference .status { font-weight: 700; }
@media (max-width: 60rem) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .side { position: static; max-height: none; padding: .2rem 0; }
  .side .families { display: none; }
}
@media (max-width: 40rem) {
  .reference .rows tbody th, .reference .rows th:first-child { width: auto; }
  .reference .rows tbody th { display: block; border: 0; padding: 0; font-weight: 600; }
  .reference .rows tr td:nth-child(n + 3) { display: block; }
  .reference .rows tr td:last-child::before { content: none; }
  .reference .rows caption { display: block; }
}
`
