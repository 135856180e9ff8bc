import { afterAll, beforeAll, expect } from 'vitest'
import { isBodyOptional } from '../../../api/calls/body.ts'
import { openapiDocument } from '../../../api/http/openapi.ts'
import { groupByPath } from '../../../api/http/operation-groups.ts'
import { operations } from '../../../api/operations/index.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed()
})
afterAll(() => apis?.stop())

/** What Doc 1 says may be posted without a body. */
const optional = [
  '/api/free-proof-run',
  '/api/model-proof-relay',
  '/api/investor-demo',
  '/api/investor-demo-v2',
  '/api/provider-receipt-completion',
]

/** A process of the public pool may take longer to start than a call waits for it: then the call is made again. */
async function post(
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<{ status: number; body: { code?: string } }> {
  const url = `${apis.hosts[0]!.base}${path}`
  const answer = await fetch(url, { method: 'POST', headers, body: body ?? null })
  if (answer.status === 503) return post(path, headers, body)
  return { status: answer.status, body: (await answer.json()) as { code?: string } }
}

verifies('admission.optional-body', 'a body that may be left out is read as {}', async () => {
  for (const path of optional) {
    expect((await post(path)).status, path).toBe(200)
    const typed = await post(path, { 'content-type': 'application/json' })
    expect(typed.status, path).toBe(200)
    expect((await post(path, { 'content-type': 'application/json' }, ' ')).body.code).toBe(
      'invalid_json',
    )
  }
  for (const path of ['/api/agent-use', '/api/work-orders'])
    expect((await post(path)).body.code, path).toBe('invalid_json')
})

verifies('admission.optional-body', 'OpenAPI requires the bodies whose schema refuses {}', () => {
  const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
  const { paths } = openapiDocument(operations, urls) as unknown as {
    paths: Record<string, { post?: { requestBody?: { required: boolean } } }>
  }
  const listed = Object.entries(paths).flatMap(([path, { post }]) =>
    post?.requestBody?.required === false ? [path] : [],
  )
  expect(listed).toEqual(expect.arrayContaining(optional))
  expect(listed).not.toContain('/api/agent-use')
  const derived = groupByPath(operations).flatMap(({ path, methods }) =>
    isBodyOptional(methods.get('POST') ?? [{ mode: 'other' } as never]) ? [path] : [],
  )
  expect(listed).toEqual(derived)
})
