import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { callbackBody } from '#domain/callbacks/callback-body.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { openapiDocument } from '../../../api/http/openapi.ts'
import { operations } from '../../../api/operations/index.ts'
import { signedExamples } from '../../../api/services/callbacks/examples.ts'
import { verifies } from '../../verifies.ts'

type Webhook = {
  post: {
    parameters: { name: string; schema: { pattern: string } }[]
    requestBody: { content: { 'application/json': { schema: { $ref: string } } } }
  }
}
const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
const document = openapiDocument(operations, urls)
const webhooks = document['webhooks'] as Record<string, Webhook>
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'https://svc.example/openapi.json', components: document['components'] })

const accepts = (event: string, body: unknown): boolean => {
  const { $ref } = webhooks[event]!.post.requestBody.content['application/json'].schema
  return ajv.compile({ $ref: `https://svc.example/openapi.json${$ref}` })(body) as boolean
}

verifies('discovery.webhooks', 'there is one for each callback that is sent', () => {
  const sent = callbackBody.options.map(({ shape }) => shape.event.value)
  expect(Object.keys(webhooks).sort()).toEqual(sent.toSorted())
})

verifies(
  'discovery.webhooks',
  'a callback as it is signed fits its own, and no other',
  async () => {
    const key = keyRings(generateSigningKeys(new Date())).callback.active
    const events = await signedExamples(key)
    expect(events.map(({ event }) => event).sort()).toEqual(Object.keys(webhooks).sort())
    for (const { event, body, headers } of events) {
      const sent = JSON.parse(body) as object
      for (const other of Object.keys(webhooks))
        expect(accepts(other, sent), `${event} as ${other}`).toBe(other === event)
      expect(accepts(event, { ...sent, more: 1 }), event).toBe(false)
      expect(accepts(event, { ...sent, delivery_id: 'cb_1' }), event).toBe(false)
      const { parameters } = webhooks[event]!.post
      for (const { name, schema } of parameters)
        expect((headers as Record<string, string>)[name], name).toMatch(new RegExp(schema.pattern))
      expect(
        Object.keys(headers)
          .filter((name) => name.startsWith('webhook-'))
          .sort(),
      ).toEqual(parameters.map(({ name }) => name).sort())
    }
  },
)
