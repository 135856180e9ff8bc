import { afterAll, beforeAll, expect } from 'vitest'
import { documentPages, documentPolicy } from '../../../api/http/pages/documents.ts'
import { startComposed } from '../../support/composed-api.ts'
import { newAgentClient } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
let apis: Awaited<ReturnType<typeof startComposed>>
let base: string
beforeAll(async () => {
  apis = await startComposed({ apis: 1 })
  base = apis.hosts[0]?.base ?? ''
})
afterAll(() => apis?.stop())

const read = async (path: string, accept: string) => {
  const answer = await fetch(base + path, { headers: { accept } })
  return { headers: answer.headers, status: answer.status, body: await answer.text() }
}

verifies('pages.documents', 'a receipt and a status link are pages for browsers only', async () => {
  const { status_token, receipt } = await newAgentClient(apis.hosts[0]!).register()
  const paths = [
    `/api/verify-receipt?receipt_id=${receipt.receipt_id}`,
    `/api/agents/status/${status_token}`,
  ]
  for (const path of paths) {
    const page = await read(path, browser)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toBe(documentPolicy)
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('vary')).toContain('Accept')
    expect(page.body).not.toContain('<script')
    expect(page.body).not.toContain(status_token)
    for (const accept of ['*/*', 'application/json', `application/json, ${browser}`]) {
      const answer = await read(path, accept)
      expect(answer.headers.get('content-type')).toContain('application/json')
      expect(JSON.parse(answer.body)).toBeTypeOf('object')
    }
  }
  const { body } = await read(paths[0] ?? '', browser)
  expect(body).toContain('✓ Verified: <bdi>an agent was registered</bdi>')
})

verifies('pages.refusals', 'an unknown link is a readable page for browsers only', async () => {
  const unknown = `tk_${'A'.repeat(43)}`
  const tokens = [unknown, 'tk_%3Cscript%3E', `st_${'A'.repeat(43)}`, 'x'.repeat(500)]
  const links = tokens.flatMap((token) => [
    `/api/agents/status/${token}`,
    `/api/agents/status/${token}/return-package`,
    `/api/agents/status/${token}/return-package?as=zip`,
  ])
  const paths = [`/api/verify-receipt?receipt_id=rc_${'0'.repeat(64)}`, ...links]
  for (const path of paths) {
    const page = await read(path, browser)
    expect(page.status, path).toBe(404)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toBe(documentPolicy)
    expect(page.body).toContain('There is no document at this address')
    expect(page.body).not.toMatch(/<script|A{43}|x{500}/)
    const accepts = ['*/*', 'application/json', `application/problem+json, ${browser}`]
    const answers = await Promise.all(accepts.map((accept) => read(path, accept)))
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      expect(JSON.parse(body)).toMatchObject({ code: 'not_found' })
    }
  }
  const json = await read(`/api/agents/status/${unknown}/return-package?as=json`, browser)
  expect(json.headers.get('content-type')).toBe('application/problem+json')
})

verifies('pages.refusals', 'another refusal of a document says what to do', async () => {
  const { status, body } = await read('/api/verify-receipt?receipt_id=%3Cscript%3E', browser)
  expect(status).toBe(400)
  expect(body).toContain('<dt>What to do</dt>')
  expect(body).not.toContain('<script')
})

verifies('pages.documents', 'a receipt that does not verify says so and why', () => {
  const page = documentPages['verify-receipt']
  const body = {
    verified: false,
    receipt_id: `rc_${'0'.repeat(64)}`,
    kind: 'payout_executed',
    checks: [{ check: 'signature', ok: false, detail: 'the signature does not verify' }],
    payload: null,
    payload_sha256: null,
  }
  const text = page?.(body, { explorerUrl: '', path: '' }) ?? ''
  expect(text).toContain('✗ Not verified')
  expect(text).toContain('the signature does not verify')
})

verifies('pages.documents', 'a transaction and earlier receipts are links; text is text', () => {
  const hash = `0x${'a'.repeat(64)}`
  const payload = {
    iat: 1_795_519_298,
    sub: 'po_1',
    prev: 'b'.repeat(64),
    transaction_hash: hash,
    memo: '<img src=x onerror=alert(1)> \u202egnp\u001b[31m',
  }
  const body = { verified: true, receipt_id: 'rc_1', kind: 'payout_executed', checks: [], payload }
  const text =
    documentPages['verify-receipt']?.(body, { explorerUrl: 'https://scan.example', path: '' }) ?? ''
  expect(text).toContain(`href="https://scan.example/tx/${hash}"`)
  expect(text).toContain(`href="/api/verify-receipt?receipt_id=rc_${'b'.repeat(64)}"`)
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  expect(text).not.toMatch(/[\u202a-\u202e\u001b]|<img/)
})
