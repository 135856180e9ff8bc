import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'express'
import { type Html, html } from '#domain/core/html.ts'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import { documentOf } from '../layout.ts'
import { packed, pageRouter } from '../page-router.ts'
import { callingPagePolicy } from '../policies.ts'

type Source = { name: string; title: string; file: string; text: string; hint: string }

const artifact: Source = {
  name: 'artifact',
  title: 'What to verify',
  file: 'A file: drop it here or choose it',
  text: 'Or its text',
  hint: 'a compact JWS, or JSON',
}
const keys: Source = {
  name: 'keys',
  title: 'The keys that you trust',
  file: 'A key document that you saved: drop it here or choose it',
  text: 'Or its text',
  hint: 'JSON',
}

/** The page that verifies a file in the browser of its reader; its script is made of api/verify. */
const verifyPage = (): string =>
  documentOf({
    title: 'Verify',
    path: '/verify',
    frame: 'page',
    head: html`<link rel="stylesheet" href="/verify/verify.css">
<script src="/verify/verifier.js" defer></script>`,
    body: html`<h1>Verify without us</h1>
<p class="lead">A receipt, with or without its place in the log, a passport, handoff pack, statement, mandate, action grant, delegated action, attestation, replay package, audit pack or return package (JSON or
zip) is verified here, in this browser. Nothing of it is sent anywhere.</p>
<noscript><p class="note">This page needs JavaScript. <code>npx agent-rails verify FILE --keys FILE</code> does the same.</p></noscript>
${sourceOf(artifact)}
${sourceOf(keys)}
<p class="from-here"><button type="button" id="load-keys">Load the keys of this service</button>
<span id="keys-note" role="status">A document that you saved while you trusted it proves more: this service can change what it publishes.</span></p>
<p><button type="button" id="verify">Verify</button></p>
<div id="result" role="status" aria-live="polite"></div>`,
  })

function sourceOf({ name, title, file, text, hint }: Source): Html {
  return html`<fieldset class="source" id="${name}-drop"><legend>${title}</legend>
<label for="${name}-file">${file}</label><input type="file" id="${name}-file">
<label for="${name}-text">${text}</label><textarea id="${name}-text" rows="3" spellcheck="false" autocomplete="off" autocapitalize="off" placeholder="${hint}"></textarea>
</fieldset>`
}

/** What the page has in addition to the stylesheet of all pages. */
const verifyStylesheet = `.page {
  & .source { display: grid; grid-template-columns: minmax(0, 1fr); gap: .4rem; margin: 1.4rem 0; padding: 1rem 1.2rem; min-width: 0; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
  & .source.over { border-color: var(--mark); outline: 2px solid var(--mark); }
  & .source legend { font-weight: 600; padding: 0 .4rem; }
  & .source input { font: inherit; max-width: 100%; margin-bottom: .5rem; color: var(--ink); }
  & textarea { width: 100%; padding: .6rem .8rem; font: .87em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; color: var(--ink); background: var(--code); border: 1px solid var(--line); border-radius: 6px; resize: vertical; }
  & textarea::placeholder { color: var(--soft); opacity: 1; }
  & button { font: inherit; padding: .45rem 1rem; color: var(--ink); background: var(--panel); border: 1px solid var(--mark); border-radius: 7px; font-weight: 600; cursor: pointer; }
  & .from-here span { display: block; margin-top: .3rem; color: var(--soft); font-size: .92rem; }
  & #verify { color: var(--panel); background: var(--mark); padding: .5rem 1.6rem; }
  & h2.ok { color: var(--mark); }
  & h2.bad { color: var(--bad); }
  & input:focus-visible, & textarea:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
}
`

/** What `npm run build` makes of api/verify. */
const script = join(packageRoot, 'dist/verifier/verifier.js')

/** The page /verify of the base host, with its script and its style. */
export function createVerifier(): Router {
  const { router, at } = pageRouter()
  at('/verify', callingPagePolicy, packed('html', verifyPage))
  at(
    '/verify/verify.css',
    packed('css', () => verifyStylesheet),
  )
  at(
    '/verify/verifier.js',
    packed('js', () => readFileSync(script, 'utf8')),
  )
  return router
}
