import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { findForbiddenMaterial } from '../../api/calls/forbidden-material.ts'
import { createClient, type OperationId, ProblemError } from '../../api/http/client.ts'
import type { AnyOperation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { trustedAgent } from '../support/registering-agent.ts'
import { verifies } from '../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_AGENT_PER_MINUTE: '6000' } })
}, 120_000)
afterAll(() => apis?.stop())

const { privateKey } = generateKeyPairSync('ed25519')
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** Each kind of secret, and the part of it that a search looks for. */
const secrets: readonly (readonly [secret: string, marker: string])[] = [
  ['-----BEGIN PRIVATE KEY-----\nZq7Xw9Kp2Vn4a\n-----END', 'Zq7Xw9Kp2Vn4a'],
  [
    JSON.stringify(privateKey.export({ format: 'jwk' })),
    String(privateKey.export({ format: 'jwk' }).d),
  ],
  [phrase, 'legal winner thank year'],
  ['sk_live_Zq7Xw9Kp2Vn4bbbb', 'Zq7Xw9Kp2Vn4b'],
  ['AKIAZQ7XW9KP2VN4CCCC', 'AKIAZQ7XW9KP2VN4CCCC'],
  [`ghp_${'Zq7Xw9Kp2Vn4d'.repeat(2)}`, 'Zq7Xw9Kp2Vn4d'],
  ['Bearer Zq7Xw9Kp2Vn4eeeee', 'Zq7Xw9Kp2Vn4e'],
  ['postgres://user:Zq7Xw9Kp2Vn4f@db.example/app', 'Zq7Xw9Kp2Vn4f'],
  ['password: Zq7Xw9Kp2Vn4g', 'Zq7Xw9Kp2Vn4g'],
  ['SSN 123-45-6789', '123-45-6789'],
  [`private key: ${'ab12'.repeat(16)}`, 'ab12'.repeat(16)],
]

const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** The same in a disclosure of an SD-JWT, for texts that are read as tokens. */
const disclosed = secrets.map(([secret]) => {
  const part = b64(['c2FsdA', { merchant: { name: secret } }])
  return [`${b64({ alg: 'ES256' })}.${b64({})}.c2ln~${part}~`, part] as const
})
const sent = [...secrets, ...disclosed]

/** These get every kind in each text; the other operations get one for each text, in turn. */
const everyKind = ['payout-create', 'payout-authorize', 'handoff-build']

/** These are 404 before their body is read without the token of an existing task or order. */
const ofToken = [
  'task-exception-raise',
  'task-recover',
  'task-proposal-decline',
  'work-order-consent',
  'work-order-decline',
]

type Leaf = { readonly path: readonly string[]; readonly pointer: string }
function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value === 'string') return [{ path, pointer: pointerOf(path) }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, [...path, name]))
}

function withLeaf(value: unknown, [name, ...rest]: readonly string[], leaf: string): unknown {
  if (name === undefined) return leaf
  const copy = structuredClone(value) as Record<string, unknown>
  copy[name] = withLeaf(copy[name], rest, leaf)
  return copy
}

type Place = Leaf & { readonly operation: AnyOperation; readonly secrets: readonly string[] }
/** The texts in the example of an operation that are screened, each with the secrets that fit its schema. */
function placesOf(operation: AnyOperation): Place[] {
  const { input, example } = operation
  const isScreened =
    ({ path, pointer }: Leaf) =>
    (secret: string) => {
      const parsed = input.safeParse(withLeaf(example.input, path, secret))
      return (
        parsed.success &&
        findForbiddenMaterial(input, parsed.data).some((found) => found.pointer === pointer)
      )
    }
  return leavesOf(example.input)
    .map((leaf) => ({
      ...leaf,
      operation,
      secrets: sent.map(([secret]) => secret).filter(isScreened(leaf)),
    }))
    .filter((place) => place.secrets.length > 0)
}

async function senders() {
  const hosts = apis.hosts[0] as { base: string; os: string }
  const { agent, credential, registered } = await trustedAgent(hosts, apis.operator, {
    requested_scopes: [
      'runs:read',
      'runs:write',
      'wallets:read',
      'wallets:write',
      'signing:use',
      'authority:read',
      'actions:execute',
      'profile:write',
    ],
    rails: ['packetops'],
  })
  return ({ access, examines }: AnyOperation) =>
    createClient({
      baseUrl: hosts.base,
      osUrl: hosts.os,
      origin: apis.config.BASE_URL,
      ...(access === 'public' && examines !== true ? {} : { agent: credential }),
      operator: apis.operator,
      statusToken: registered.status_token,
      wallet: privateKeyToAccount(generatePrivateKey()),
      signAsAgent: agent.signText,
    })
}

/** The tables that hold a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(apis.db)
  const found: string[] = []
  for (const { name } of rows) {
    const holds = sql`select 1 from ${sql.table(name)} t where position(${text} in t::text) > 0 limit 1`
    if ((await holds.execute(apis.db)).rows.length > 0) found.push(name)
  }
  return found
}

verifies(
  'pipeline.forbidden-material',
  'each free text refuses secrets, and stores and logs none',
  async () => {
    const senderFor = await senders()
    const refusalOf = ({ operation, path }: Place, secret: string) =>
      senderFor(operation)
        .call(operation.id as OperationId, withLeaf(operation.example.input, path, secret) as never)
        .then(
          ({ status }) => status,
          (error: unknown) =>
            error instanceof ProblemError ? [error.code, error.problem['errors']] : String(error),
        )
    const places = (operations as readonly AnyOperation[])
      .filter(({ id }) => !ofToken.includes(id))
      .flatMap(placesOf)
    expect(places.length).toBeGreaterThan(60)
    const wrong: unknown[] = []
    for (const [index, place] of places.entries()) {
      const { id } = place.operation
      const each = [place.secrets[index % place.secrets.length] as string]
      for (const secret of everyKind.includes(id) ? place.secrets : each) {
        const refusal = JSON.stringify(await refusalOf(place, secret))
        const expected = `["forbidden_material",[{"pointer":"${place.pointer}",`
        if (!refusal.startsWith(expected)) wrong.push([id, place.pointer, refusal])
      }
    }
    expect(wrong).toEqual([])
    for (const [, marker] of sent) {
      expect([marker, await tablesWith(marker)]).toEqual([marker, []])
      expect(apis.logged()).not.toContain(marker)
    }
    // The same search finds what is stored.
    expect(await tablesWith('Ledger reader')).toContain('agents')
  },
  120_000,
)
