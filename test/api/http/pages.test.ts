import { gzipSync } from 'node:zlib'
import { Router } from 'express'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Environment } from '#domain/core/environment.ts'
import { errorCodes } from '#domain/core/error-codes.ts'
import { html } from '#domain/core/html.ts'
import { rails } from '#domain/rails/index.ts'
import { faultKinds } from '#domain/rails/input/input-faults.ts'
import { tiers } from '#domain/rails/rail.ts'
import { createApp } from '../../../api/express.ts'
import { createConsole } from '../../../api/http/console/console.ts'
import { type Listener, listen } from '../../../api/http/listen.ts'
import { createLog } from '../../../api/http/log.ts'
import { createMetrics } from '../../../api/http/metrics.ts'
import { priceOf } from '../../../api/http/pages/catalogue.ts'
import { createPages } from '../../../api/http/pages/pages.ts'
import { createReference } from '../../../api/http/pages/reference/routes.ts'
import { createVerifier } from '../../../api/http/pages/verify/routes.ts'
import { operations } from '../../../api/operations/index.ts'
import { unlimited } from '../../support/unlimited.ts'
import { verifies } from '../../verifies.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const ui = 'http://127.0.0.1:8233'
const baseUrl = 'https://svc.example'
const osUrl = 'https://os.example'
const surface = {
  registry: operations,
  baseUrl,
  osUrl,
  trustProxy: '',
  trustsLoopback: true,
  isOperator: async () => false,
  log: createLog('silent'),
  metrics: createMetrics(),
  limits: unlimited,
  call: async () => ({ answer: { status: 200, headers: {}, body: {} } }),
}
const facts = { registry: operations, baseUrl, osUrl, environment: 'local' as Environment }
const pages = (environment: Environment = 'local', temporalUiUrl = ui) =>
  createPages({ ...facts, temporalUiUrl, environment, rateLimits: [], pauses: async () => [] })

const listeners: Listener[] = []
const start = async (app: Parameters<typeof listen>[0]) => {
  const listener = await listen(app, '127.0.0.1', 0)
  listeners.push(listener)
  return `http://127.0.0.1:${listener.port}`
}
let base: string
beforeAll(async () => {
  const operatorConsole = createConsole({
    assertOperator: async () => undefined,
    changes: { subscribe: () => () => undefined },
    ended: new AbortController().signal,
    attempts: { guard: (_attempt, check) => check(), assertFew: async () => undefined },
  })
  const site = Router().use(
    pages(),
    createReference(facts, 'base'),
    createVerifier(),
    operatorConsole,
  )
  base = await start(createApp({ ...surface, host: 'base', pages: site }))
})
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.stop(0)))
})

const get = (path: string, accept = BROWSER) => fetch(base + path, { headers: { Accept: accept } })
const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? ''
/** What a page makes a browser load or offers to follow: the value of each href and src. */
const linksIn = (page: string) =>
  [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url = '']) => url)
const json = async (path: string) =>
  (await (await get(path, 'application/json')).json()) as Record<string, unknown>
const codes = Object.keys(errorCodes)
const railPaths = rails.map(({ key }) => `/rails/${key}`)

verifies('console.session', 'sign-ins at the issuer count by the network of IPv6', async () => {
  const asked: string[] = []
  const guarded: string[] = []
  const site = createConsole({
    assertOperator: async () => undefined,
    changes: { subscribe: () => () => undefined },
    ended: new AbortController().signal,
    attempts: {
      guard: (attempt, check) => {
        guarded.push(attempt.address)
        return check()
      },
      assertFew: async (address) => void asked.push(address),
    },
    signIn: {
      begin: async () => undefined,
      finish: async (_request, response) => void response.end(),
    },
  })
  const app = createApp({ ...surface, trustProxy: '1', host: 'base', pages: site })
  const url = `${await start(app)}/console/oidc/finish`
  for (const address of ['2001:db8:1:2::3', '2001:db8:1:2:ffff::4', '192.0.2.1'])
    await fetch(url, { headers: { 'x-forwarded-for': address } })
  expect(asked).toEqual(['2001:db8:1:2::/64', '2001:db8:1:2::/64', '192.0.2.1'])
  expect(guarded).toEqual(asked)
})

describe('the front page', () => {
  verifies(
    'pages.landing',
    'is HTML with every operation and links to documents and health',
    async () => {
      const response = await get('/')
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      const page = await response.text()
      for (const { http } of operations) expect(page).toContain(`${http.method} ${http.path}`)
      expect(linksIn(page)).toEqual(
        expect.arrayContaining([
          '/docs',
          '/openapi.json',
          '/problems',
          '/readyz',
          '/api/trust-contract',
          ui,
        ]),
      )
      expect(page).toContain('no real funds move here')
    },
  )

  verifies('pages.landing', 'shows each rail with the prices that it declares', async () => {
    const page = decode(await (await get('/')).text())
    for (const rail of rails) {
      const price = priceOf(rail)
      expect(page).toContain(
        `<dt><a href="/rails/${rail.key}">${rail.key}</a></dt><dd class="price">${price}</dd><dd>${rail.about.summary}</dd>`,
      )
      for (const usd of Object.values(rail.prices ?? {}).filter((one) => one > 0))
        expect(price).toContain(`$${usd}`)
    }
    expect(page).toContain(`${rails.length} rails with fixed prices`)
    expect(priceOf({ prices: null })).toBe('not sold yet: to be tried out')
  })

  verifies('pages.landing', 'leads to start, reference, console and verification', async () => {
    const page = await (await get('/')).text()
    const navigation = page.slice(page.indexOf('<nav'), page.indexOf('</nav>'))
    expect(linksIn(navigation)).toEqual([
      '/',
      '/#first-agent',
      '/docs',
      '/console',
      '/verify',
      '/problems',
    ])
    for (const anchor of ['first-agent', 'verify', 'rails', 'guarantees'])
      expect(page).toContain(`<h2 id="${anchor}">`)
  })

  verifies('pages.landing', 'every link of every page leads somewhere', async () => {
    const found = await Promise.all(
      ['/', '/docs', '/verify', '/problems', '/problems/not_found', ...railPaths].map(
        async (path) => linksIn(await (await get(path)).text()),
      ),
    )
    const own = [...new Set(found.flat())].filter((url) => url.startsWith('/'))
    expect(own.length).toBeGreaterThan(60)
    const statuses = await Promise.all(
      own.map(async (url) => {
        const { status } = await fetch(base + url, {
          headers: { Accept: BROWSER },
          redirect: 'manual',
        })
        return [url, status]
      }),
    )
    // A page of the other host is one redirect away.
    expect(statuses.filter(([, status]) => status !== 200 && status !== 302)).toEqual([])
  })

  verifies(
    'pages.landing',
    'the walk-through on the page is the program at /walk-through.mjs',
    async () => {
      const script = await get('/walk-through.mjs')
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      const program = await script.text()
      expect(program).toContain(`const baseUrl = '${baseUrl}'`)
      const page = decode(await (await get('/')).text())
      const snippets = [...page.matchAll(/<pre[^>]*: TypeScript"><code>([\s\S]*?)<\/code>/g)].map(
        ([, code = '']) => code,
      )
      expect(snippets.length).toBe(5)
      for (const code of snippets) expect(program).toContain(code)
    },
  )

  verifies(
    'pages.landing',
    'a live service says so and names no Temporal UI that it has not',
    async () => {
      const live = await start(createApp({ ...surface, host: 'base', pages: pages('live', '') }))
      const page = await (await fetch(live)).text()
      expect(page).toContain('payouts move real funds')
      expect(page).not.toContain('Temporal UI</a>')
    },
  )
})

describe('the reference', () => {
  verifies('pages.reference', 'lists what its host serves, and each has a page', async () => {
    for (const host of ['base', 'os'] as const) {
      const pages = createReference(facts, host)
      const url = await start(createApp({ ...surface, host, pages }))
      const index = await (await fetch(`${url}/docs`)).text()
      const served = operations.filter(({ http }) => [host, 'both'].includes(http.host))
      expect(served.length).toBeGreaterThan(10)
      const listed = [...index.matchAll(/<li id="([a-z-]+)">/g)].map(([, id]) => id)
      expect(listed.toSorted()).toEqual(served.map(({ id }) => id).toSorted())
      for (const { id, summary } of served.slice(0, 20)) {
        const page = decode(await (await fetch(`${url}/docs/${id}`)).text())
        expect(page, id).toContain(summary)
      }
    }
  })

  verifies('pages.reference', 'a mode is an entry with its own facts and body', async () => {
    const page = async (id: string) => decode(await (await get(`/docs/${id}`)).text())
    const [quote, start] = [await page('quote-run'), await page('start-agent-run')]
    expect(quote).toContain('<dd>Free of charge.</dd>')
    expect(quote).toContain('"mode": "quote_run"')
    expect(quote).not.toContain('start_agent_run')
    expect(start).toContain('An agent: its access key')
    expect(start).toContain('problems/payment_required')
    expect(quote).not.toContain('problems/payment_required')
  })

  verifies('pages.reference', 'a link to an operation of the other host leads there', async () => {
    const answer = await fetch(`${base}/docs/preflight`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `${osUrl}/docs/preflight`,
    ])
    expect((await get('/docs/nothing')).status).toBe(404)
  })

  verifies('pages.reference', 'a page is sent compressed where the reader takes it', async () => {
    const send = (encoding: string) =>
      fetch(`${base}/docs/payout-create`, { headers: { 'accept-encoding': encoding } })
    const [zipped, plain] = [await send('gzip'), await send('identity')]
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('vary')).toContain('Accept-Encoding')
    expect(await zipped.text()).toBe(await plain.text())
  })
})

describe('rail pages', () => {
  for (const rail of rails)
    verifies('pages.rails', `${rail.key}: what it declares, in all parts`, async () => {
      const page = decode(await (await get(`/rails/${rail.key}`)).text())
      expect(page).toContain(`<p class="lead">${rail.about.summary}</p>`)
      for (const one of rail.about.capabilities) expect(page).toContain(`<li>${one}</li>`)
      for (const tier of tiers) {
        const { depth, leaves_out } = rail.tiers[tier]
        expect(page).toContain(`<td>${depth}</td>`)
        expect(page).toContain(`<td>${leaves_out.join(', ') || 'nothing'}</td>`)
        if (rail.prices !== null) expect(page).toContain(`<td>$${rail.prices[tier]}</td>`)
      }
      for (const [code, { kind, filled_by }] of Object.entries(rail.gapRules))
        expect(page).toContain(`<code>${code}</code></td><td>${kind}</td><td>${filled_by}</td>`)
      for (const kind of faultKinds) expect(page).toContain(`<code>${kind}</code>`)
      for (const { check, of } of rail.audit.plan(rail.sandboxInput))
        expect(page).toContain(`<code>${check}</code></td><td>${of}</td>`)
      expect(linksIn(page)).toEqual(
        expect.arrayContaining([
          `/schemas/rail-input-${rail.key}.v1.json`,
          `/schemas/rail-result-${rail.key}.v1.json`,
          '/problems/input_rejected',
        ]),
      )
    })

  verifies('pages.rails', 'the sample has the input, the result and the report', async () => {
    for (const rail of rails) {
      const path = `/rails/${rail.key}`
      expect(await json(`${path}/input.json`)).toEqual(rail.sandboxInput)
      const result = await json(`${path}/result.json`)
      const { leaves_out } = rail.tiers.standard
      const whole = Object.entries(rail.work(rail.sandboxInput).result as object)
      expect(result).toEqual(
        Object.fromEntries(whole.filter(([name]) => !leaves_out.includes(name))),
      )
      const report = await get(`${path}/report.html`)
      expect(report.headers.get('content-security-policy')).toMatch(/^sandbox;default-src 'none';/)
      expect(await report.text()).toContain('Synthetic: a try, not operational work')
    }
    expect((await get('/rails/nothing')).status).toBe(404)
  })

  verifies('pages.rails', 'the example on the page is the program at its address', async () => {
    for (const path of railPaths) {
      const program = await (await get(`${path}/example.sh`)).text()
      expect(program).toContain(`BASE=${baseUrl}\n`)
      expect(decode(await (await get(path)).text())).toContain(`<code>${program}</code>`)
    }
  })
})

describe('problem pages', () => {
  verifies(
    'pages.problems',
    'every code has a page and a JSON description that agree',
    async () => {
      for (const [code, { status, title }] of Object.entries(errorCodes)) {
        const page = await get(`/problems/${code}`)
        expect([page.status, page.headers.get('content-type')], code).toEqual([
          200,
          'text/html; charset=utf-8',
        ])
        const text = decode(await page.text())
        expect(text, code).toContain(`<h1>${title}</h1>`)
        const description = await json(`/problems/${code}`)
        expect(description, code).toMatchObject({
          type: `${baseUrl}/problems/${code}`,
          code,
          status,
          title,
        })
        for (const sentence of [description['meaning'], description['action']])
          expect(sentence, code).toMatch(/^[A-Z].{10,}\.$/)
        const repeat = ['daily_cap_exceeded', 'not_ready'].includes(code) ? 'Later' : 'No'
        expect(text, code).toContain(
          `${description['retryable'] === true ? 'Yes' : repeat}: the same call`,
        )
      }
    },
  )

  verifies(
    'pages.problems',
    'a code says whether it is worth repeating and which operations give it',
    async () => {
      expect(await json('/problems/settlement_pending')).toMatchObject({ retryable: true })
      expect(await json('/problems/payout_cap_exceeded')).toMatchObject({
        retryable: false,
        operations: ['payout-create'],
      })
    },
  )

  verifies(
    'pages.problems',
    'browsers get HTML, programs JSON, whatever they accept first',
    async () => {
      const kind = async (accept: string) =>
        (await get('/problems/paused', accept)).headers.get('content-type')
      expect(await kind(BROWSER)).toMatch(/^text\/html/)
      expect(await kind('text/html')).toMatch(/^text\/html/)
      for (const accept of [
        '*/*',
        'application/json',
        'application/problem+json',
        'application/json, text/html;q=0.5',
      ])
        expect(await kind(accept), accept).toMatch(/^application\/json/)
      expect((await get('/problems/paused')).headers.get('vary')).toBe('Accept')
    },
  )

  verifies('pages.problems', 'the list has every code, for people and for programs', async () => {
    const page = await (await get('/problems')).text()
    for (const code of codes) expect(page).toContain(`href="/problems/${code}"`)
    const { problems } = await json('/problems')
    expect(problems).toMatchObject(codes.map((code) => ({ code })))
  })

  verifies('pages.problems', 'an unknown code is 404, also one that every object has', async () => {
    for (const code of ['nonsense', 'constructor', '__proto__', 'PAUSED']) {
      const response = await get(`/problems/${code}`)
      expect(response.status, code).toBe(404)
      expect(await response.json(), code).toMatchObject({ code: 'not_found' })
    }
  })
})

describe('every page', () => {
  verifies('pages.policy', 'allows scripts only from files of this host', async () => {
    for (const path of ['/', '/docs/payout-create', '/verify', '/problems/paused', ...railPaths]) {
      const response = await get(path)
      const policy = policyOf(response)
      expect(policy, path).toMatch(/default-src 'none';script-src 'self';/)
      expect(policy, path).not.toMatch(/https:|\*|unsafe-eval/)
      expect(policy, path).not.toContain("'unsafe-inline'")
      const page = await response.text()
      expect(page.match(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/g), path).toBeNull()
      const known = [ui, `${osUrl}/docs`]
      const foreign = linksIn(page).filter((url) => url.startsWith('http') && !known.includes(url))
      expect(foreign, path).toEqual([])
    }
  })

  verifies('pages.policy', 'answers GET and HEAD and refuses the rest', async () => {
    for (const path of ['/', '/docs', '/verify', '/problems', '/problems/paused']) {
      const head = await fetch(base + path, { method: 'HEAD' })
      expect([head.status, await head.text()], path).toEqual([200, ''])
      const posted = await fetch(base + path, { method: 'POST', body: '{}' })
      expect([posted.status, posted.headers.get('allow')], path).toEqual([405, 'GET, HEAD'])
    }
  })

  verifies('pages.policy', 'the OS host has only its reference', async () => {
    const pages = createReference(facts, 'os')
    const os = await start(createApp({ ...surface, host: 'os', pages }))
    for (const path of ['/', '/problems/paused', '/console'])
      expect((await fetch(os + path)).status, path).toBe(404)
    const policy = policyOf(await fetch(`${os}/docs`))
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
  })

  verifies('verify.page', 'the verifier calls this host alone and sends no form', async () => {
    const policy = policyOf(await get('/verify'))
    expect(policy).toContain("connect-src 'self';")
    expect(policy).toContain("form-action 'none';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    const script = await (await get('/verify/verifier.js')).text()
    const calls = [...script.matchAll(/fetch\(([^)]*)\)/g)].map(([, call]) => call)
    expect(calls).toHaveLength(1)
    expect(calls[0]).toContain('/.well-known/jwks.json')
    expect(script).not.toMatch(/XMLHttpRequest|sendBeacon|WebSocket|localStorage|innerHTML/)
    expect(gzipSync(script).length).toBeLessThan(80_000)
  })

  verifies('pages.policy', 'escapes what it is given as text', () => {
    expect(html`<p title="${'"\'&'}">${'<script>'}${html`<b>${1}</b>`}</p>`.markup).toBe(
      '<p title="&quot;&#39;&amp;">&lt;script&gt;<b>1</b></p>',
    )
  })
})

function decode(markup: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return markup.replace(/&(lt|gt|quot|#39|amp);/g, (_whole, name: string) => characters[name] ?? '')
}
