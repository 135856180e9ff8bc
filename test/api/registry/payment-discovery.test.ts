import { DiscoveryDocument, validate } from 'mppx/discovery'
import { expect } from 'vitest'
import { openapiDocument } from '../../../api/http/openapi.ts'
import { type AnyOperation, takesPayment } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { agentTools } from '../../../api/registry/agent-tools.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }

verifies('mpp.discovery', 'mppx finds the price of each call that takes a payment', () => {
  const openapi = openapiDocument(registry, urls)
  expect(validate(openapi).filter(({ severity }) => severity === 'error')).toEqual([])
  const { paths = {} } = DiscoveryDocument.parse(openapi)
  const priced = registry.filter(takesPayment)
  expect(priced.length).toBeGreaterThan(10)
  for (const { http, price, id } of priced) {
    const found = paths[http.path]?.[http.method.toLowerCase() as 'post']
    const amount = price === null ? null : String(price)
    expect(found?.['x-payment-info']?.offers, id).toMatchObject([
      { method: 'evm', intent: 'charge', amount },
    ])
    const header = price === null ? 'mppHeader' : 'mpp'
    expect((found as { security: object[] }).security, id).toContainEqual(
      expect.objectContaining({ [header]: [] }),
    )
  }
  const free = registry.find(({ id }) => id === 'agent-pricing') as AnyOperation
  expect(paths[free.http.path]?.get).not.toHaveProperty('x-payment-info')
  expect(agentTools(registry, urls, []).payment_protocols).toMatchObject([
    { protocol: 'x402', credential_headers: ['PAYMENT-SIGNATURE'] },
    { protocol: 'mpp', credential_headers: ['Authorization', 'Payment-Authorization'] },
  ])
})
