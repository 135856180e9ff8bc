import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { html } from './html.ts'
import { documentOf } from './layout.ts'

const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The files of swagger-ui-dist that the reference page loads: name → path in the installed package. */
export const referenceAssets: ReadonlyMap<string, string> = new Map(
  ['swagger-ui.css', 'swagger-ui-bundle.js'].map((name) => [name, join(swaggerUi, name)]),
)

/** The reference page: Swagger UI over /openapi.json, all from this host. */
export const referencePage: string = documentOf({
  title: 'API reference · agent-rails',
  path: '/docs',
  frame: 'reference',
  head: html`<link rel="stylesheet" href="/docs/swagger-ui.css">
<script src="/docs/swagger-ui-bundle.js" defer></script>
<script src="/docs/start.js" defer></script>`,
  body: html`<div id="reference"><noscript>This page needs JavaScript; the document itself is
<a href="/openapi.json">/openapi.json</a>.</noscript></div>`,
})

/** Starts Swagger UI, dark where the reader's system is; no validator, which would be a foreign host. */
export const referenceScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'list', validatorUrl: null })
`
