import { flattenedVerify, importJWK } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { createClient, type OutputOf } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
})
afterAll(() => apis?.stop())

type Card = OutputOf<'agent-card'>
const path = '/.well-known/agent-card.json'
const read = async () =>
  (await createClient({ baseUrl: apis.hosts[0]!.base }).call('agent-card', {})).body

/** Verifies as A2A says, by another implementation of JWS, with the published key of the named id. */
async function isSigned({ signatures: [signature], ...card }: Card): Promise<boolean> {
  const { keys } = (await createClient({ baseUrl: apis.hosts[0]!.base }).call('jwks', {})).body
  const sent = {
    protected: String(signature?.protected),
    payload: Buffer.from(canonicalJson(card)).toString('base64url'),
    signature: String(signature?.signature),
  }
  const find = (header?: { kid?: string }) =>
    importJWK({ ...(keys.find(({ kid }) => kid === header?.kid) ?? {}), alg: 'EdDSA' } as never)
  return flattenedVerify(sent, find).then(
    ({ protectedHeader }) => protectedHeader?.['typ'] === 'JOSE',
    () => false,
  )
}

verifies(
  'discovery.agent-card',
  'it verifies with the published key, and no change does',
  async () => {
    const card = await read()
    expect(await isSigned(card)).toBe(true)
    const [skill, ...others] = card.skills
    const changes: Partial<Card>[] = [
      { name: 'Agent Rail' },
      { description: `${card.description} ` },
      { supportedInterfaces: card.supportedInterfaces.toReversed() },
      { skills: others },
      { skills: [{ ...skill!, tags: [] }, ...others] },
      { capabilities: { streaming: true } as never },
      { provider: { ...card.provider, url: 'https://other.example' } },
    ]
    for (const change of changes)
      expect(await isSigned({ ...card, ...change }), JSON.stringify(change)).toBe(false)
  },
)

verifies(
  'discovery.agent-card',
  'its skills are the rails that run, with readable examples',
  async () => {
    const { skills } = await read()
    const current = rails.filter(({ takes }) => takes.controlledLoop === 'current')
    expect(skills.map(({ id }) => id)).toEqual(current.map(({ key }) => key))
    for (const { key, input } of current) {
      const [example = ''] = skills.find(({ id }) => id === key)?.examples ?? []
      expect(input.safeParse(JSON.parse(example)).success, key).toBe(true)
    }
  },
)

verifies(
  'discovery.agent-card',
  'its interfaces answer, and no member has a default value',
  async () => {
    const { signatures: _signed, capabilities, ...card } = await read()
    expect(capabilities).toEqual({})
    const { origin } = new URL(apis.config.BASE_URL)
    for (const { url, protocolBinding } of card.supportedInterfaces) {
      expect(new URL(url).origin).toBe(origin)
      const here = `${apis.hosts[0]?.base}${new URL(url).pathname}`
      const initialize = {
        jsonrpc: '2.0',
        id: 1,
        method: 'ping',
      }
      const answer = await fetch(here, {
        ...(protocolBinding === 'MCP' ? { method: 'POST', body: JSON.stringify(initialize) } : {}),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
      })
      expect(answer.status, url).toBe(200)
    }
    const written = {
      ...card,
      skills: card.skills.map((skill) => ({ ...skill, examples: ['{}'] })),
    }
    expect(JSON.stringify(written)).not.toMatch(/:(false|null|0|""|\[\])[,}]/)
  },
)

verifies('discovery.agent-card', 'each process serves the same bytes, under one tag', async () => {
  const answers = await Promise.all(apis.hosts.map(({ base }) => fetch(base + path)))
  const [one, other] = await Promise.all(answers.map((answer) => answer.text()))
  expect(one).toBe(other)
  const tag = String(answers[0]?.headers.get('etag'))
  expect(answers[1]?.headers.get('etag')).toBe(tag)
  expect(answers[0]?.headers.get('cache-control')).toBe('public, max-age=300')
  const again = await fetch(apis.hosts[1]?.base + path, { headers: { 'if-none-match': tag } })
  expect(again.status).toBe(304)
})
