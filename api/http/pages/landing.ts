import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '#domain/core/environment.ts'
import { type Html, html } from '#domain/core/html.ts'
import { type Pause, pauseNote } from '#domain/payouts/controls.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { type AnyOperation, waysOf } from '../../operation.ts'
import { families } from '../../operations/index.ts'
import type { PublishedLimit } from '../../shapes/rate-policies.ts'
import { catalogue, guarantees, railCount } from './catalogue.ts'
import { crashPicture } from './crash-picture.ts'
import { pageOf } from './layout.ts'
import { snippet } from './snippet.ts'
import { walkThrough } from './walk-through.ts'

/** One program that opens an agent of the sandbox and gets a first result: its language, how it is run, and its code. */
type FirstAgent = { readonly language: string; readonly run: string; readonly code: string }

const programs = [
  { language: 'TypeScript', run: 'node examples/sandbox.mjs', file: 'sandbox.mjs' },
  { language: 'Python', run: 'python3 examples/sandbox.py', file: 'sandbox.py' },
  { language: 'curl', run: 'bash examples/sandbox.sh', file: 'sandbox.sh' },
] as const

/** The programs of examples/, for the hosts of this service. */
function firstAgents({
  baseUrl,
  osUrl,
}: {
  baseUrl: string
  osUrl: string
}): readonly FirstAgent[] {
  return programs.map(({ language, run, file }) => ({
    language,
    run,
    code: readFileSync(join(packageRoot, 'examples', file), 'utf8')
      .replaceAll('http://127.0.0.1:3000', baseUrl)
      .replaceAll('http://127.0.0.1:3001', osUrl),
  }))
}

/** What the pages show: the operations of the base host, where it is reached, and its Temporal UI (empty: none is named). */
export type PageFacts = {
  readonly registry: readonly AnyOperation[]
  readonly baseUrl: string
  readonly osUrl: string
  readonly temporalUiUrl: string
  readonly environment: Environment
  readonly rateLimits: readonly PublishedLimit[]
  readonly pauses: () => Promise<readonly Pause[]>
}

/** The front page: what this is, where everything is, and a payout to copy. */
export async function landingPage(facts: PageFacts): Promise<string> {
  const body = html`<h1>Work and payouts that agents can retry and never pay twice</h1>
<p class="lead">Software agents buy work here, and a payout rail moves bounded amounts of a dollar stablecoin for them. Each run and
each payout is a durable Temporal workflow, and every transition leaves a signed receipt.</p>
<p class="actions"><a class="action" href="#first-agent">Start now</a> <a class="action" href="/docs">API reference</a>
<a class="action" href="/console">Operator console</a></p>
${environmentNote(facts)}${await pausedNote(facts)}
${crashPicture}
<ul class="doors">
<li><a href="#rails">Buy work</a><span>${railCount} rails with fixed prices: quote, contract, payment, run, and a return package that anyone can replay.</span></li>
<li><a href="#walk-through">Pay out</a><span>Create, authorize, execute: bounded amounts under a daily cap, with a mandate for each payout.</span></li>
<li><a href="#verify">Verify</a><span>Every step has a receipt that is checked without this service, by published keys.</span></li>
<li><a href="/console">Operate</a><span>One inbox for what waits for people, with its evidence; every decision is signed.</span></li>
</ul>
<h2 id="rails">The rails and their prices</h2>
<details class="fold"><summary>All ${railCount} rails with their prices</summary>${catalogue()}</details>
<h2 id="guarantees">What is guaranteed</h2>
${guarantees()}
<h2 id="verify">Verify without us</h2>
<p>A receipt, a task’s status link and a return package open in a browser as readable pages, and stay JSON for programs. With
<a href="/.well-known/jwks.json">the published keys</a>, <a href="/verify">this page</a> and <code>agent-rails verify</code> judge everything
that is signed, offline, and <code>agent-rails replay</code> does the work of a package again. <a href="/api/trust-contract">The trust contract</a> has what callers sign.</p>
<h2 id="first-agent">Start in a minute: your first agent</h2>
${firstAgentPart(facts)}
<h2 id="doors">Where everything is</h2>
<ul class="doors names">${doors(facts)}</ul>
<h2 id="walk-through">A payout, call by call</h2>
${walkThroughPart(facts)}
<h2 id="curl">With curl</h2>
${curlPart(facts)}
<h2 id="operations">Operations</h2>
<p>${facts.registry.length} operations; the <a href="/docs">API reference</a> has the schemas, answers and refusals of each.</p>
${operationGroups(facts)}`
  return pageOf({ title: 'agent-rails', path: '/', body })
}

function environmentNote({ environment }: PageFacts): Html {
  return environment === 'local'
    ? html`<p class="note">This stack runs on a local chain: no real funds move here, and no signature made here is worth anything elsewhere.</p>`
    : html`<p class="note">This service is live: payouts move real funds.</p>`
}

/** Nothing where nothing is paused, or where that is not known. */
async function pausedNote({ pauses }: PageFacts): Promise<Html | string> {
  const note = pauseNote(await pauses().catch(() => []))
  return note === undefined
    ? ''
    : html`<p class="note">New payouts are ${note}. What was begun before continues.</p>`
}

function doors({ temporalUiUrl }: PageFacts): Html[] {
  const all: (readonly [url: string, name: string, what: string])[] = [
    ['/docs', 'API reference', 'Every operation with its schemas, answers and refusals.'],
    ['/console', 'Operator console', 'What waits for people, its evidence, decisions and money.'],
    ['/openapi.json', 'OpenAPI 3.1', 'The same for machines.'],
    ['/problems', 'Problems', 'Every refusal: what it means, whether to retry, what to do.'],
    ['/readyz', 'Readiness', 'Database, Temporal, chain, workers and clock, each with its state.'],
    [
      '/api/trust-contract',
      'Trust contract',
      'Caps, prices, wallet proof and typed data that callers sign.',
    ],
    ['/.well-known/jwks.json', 'Keys', 'The public keys that receipts are verified with.'],
    ['/metrics', 'Metrics', 'Prometheus text, for this machine only.'],
  ]
  if (temporalUiUrl !== '')
    all.push([temporalUiUrl, 'Temporal UI', 'Every payout as a workflow, with what it waits for.'])
  return all.map(
    ([url, name, what]) => html`<li><a href="${url}">${name}</a><span>${what}</span></li>`,
  )
}

function firstAgentPart(facts: PageFacts): Html {
  // Details of one name: the browser keeps one of them open.
  const programs = firstAgents(facts).map(
    ({ language, run, code }) =>
      html`<details name="first-agent"${language === 'TypeScript' ? html` open` : ''}><summary>${language}: <code>${run}</code></summary>
${snippet(code, `The first agent in ${language}`)}</details>`,
  )
  return html`<p>An agent of the sandbox is trusted at once and needs no money: it registers with a key of its own, claims its access
key, starts a run and takes the signed result. Each program below does just that; run it in the project’s folder.</p>
<div class="choices">${programs}</div>`
}

function walkThroughPart({ baseUrl }: PageFacts): Html {
  const steps = walkThrough(baseUrl).map(
    ({ title, text, code }) =>
      html`<li><details><summary>${title}</summary><p>${text}</p>${snippet(code, `${title}: TypeScript`)}</details></li>`,
  )
  return html`<p>The steps below are one TypeScript program for the local stack; run it whole, in the project’s folder (set
DATA_DIR where the stack has another data folder than .data):</p>
${snippet(`curl -s ${baseUrl}/walk-through.mjs | node --input-type=module`, 'Run the walk-through')}
<ol class="steps">${steps}</ol>`
}

function curlPart({ baseUrl }: PageFacts): Html {
  return html`<p>What needs no wallet answers to curl:</p>
${snippet(`curl -s ${baseUrl}/readyz\ncurl -s ${baseUrl}/api/trust-contract`, 'Public calls')}
<p>A priced call without a wallet proof is refused, and says what to do. Each refusal’s <code>type</code> is a page of its own:</p>
${snippet(
  `curl -s ${baseUrl}/api/payout-status -H 'Content-Type: application/json' \\
  -d '{"idempotency_key":"walk-1"}'
curl -s ${baseUrl}/problems/wallet_proof_required`,
  'A refusal and its page',
)}`
}

/** The operations by family, each family closed until it is asked for. */
function operationGroups({ registry }: PageFacts): Html {
  const groups = Object.entries(families).flatMap(([family, members]) => {
    const ids = new Set<string>(members.map(({ id }) => id))
    const own = registry.filter(({ id }) => ids.has(id))
    if (own.length === 0) return []
    return html`<details><summary>${family} <span>${own.length}</span></summary>${operationTable(own)}</details>
`
  })
  return html`<div class="groups">${groups}</div>`
}

function operationTable(members: readonly AnyOperation[]): Html {
  const rows = members.map(
    ({ http, summary, access, price }) =>
      html`<tr><td><code>${http.method} ${http.path}</code></td><td>${summary}</td><td>${waysOf({ access }).join(' or ')}</td><td>${priceOf(price)}</td></tr>
`,
  )
  return html`<table>
<thead><tr><th scope="col">Call</th><th scope="col">What it does</th><th scope="col">Who</th><th scope="col">Price</th></tr></thead>
<tbody>${rows}</tbody>
</table>`
}

const priceOf = (atomic: bigint | null): string =>
  atomic === null ? 'free' : `${Number(atomic) / 1e6} USDC`
