import { generateKeyPairSync } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { findForbiddenMaterial } from '../../activities/screening/free-text.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { exampleOf } from '../../api/examples/index.ts'
import { type Client, createClient, type OperationId, ProblemError } from '../../api/http/client.ts'
import type { AnyOperation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { type Hosts, trustedAgent } from './registering-agent.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** Each kind of secret, and the part of it that a search looks for. */
export const secrets: readonly (readonly [secret: string, marker: string])[] = [
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
/** Each text that is sent, and the part of it that a search looks for. */
export const sent = [...secrets, ...disclosed]

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

export type Place = Leaf & { readonly operation: AnyOperation; readonly secrets: readonly string[] }
/** The texts in the example of an operation that are screened, each with the secrets that fit its schema. */
function placesOf(operation: AnyOperation): Place[] {
  const { input } = operation
  const example = exampleOf(operation)
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

/** These are 404 before their body is read without the token of an existing task, order or pilot. */
export const ofToken = {
  'task-exception-raise': 'task',
  'task-recover': 'task',
  'task-proposal-decline': 'task',
  'work-order-consent': 'order',
  'work-order-decline': 'order',
  'invitation-respond': 'pilot',
} as const
type Token = (typeof ofToken)[keyof typeof ofToken]

/** A trusted agent that may call each operation. */
export const sendingAgent = (hosts: Hosts, operator: string) =>
  trustedAgent(hosts, operator, {
    requested_scopes: [
      'listings:write',
      'runs:read',
      'runs:write',
      'wallets:read',
      'wallets:write',
      'production:write',
      'controls:write',
      'exchange:write',
      'signing:use',
      'authority:read',
      'actions:execute',
      'profile:write',
      'regression:write',
    ],
    rails: ['packetops'],
  })

type Sending = {
  readonly hosts: Hosts
  readonly operator: string
  readonly origin: string
  readonly sender: Awaited<ReturnType<typeof sendingAgent>>
  /** Those of a task of the agent, of an order without one, and of a pilot. */
  readonly tokens?: Readonly<Record<Token, string>>
}

/** A client for each operation, with the credentials that its callers have. */
export const sendersOf =
  ({ hosts, operator, origin, sender, tokens }: Sending) =>
  ({ id, access, examines }: AnyOperation): Client => {
    const { agent, credential, registered } = sender
    return createClient({
      baseUrl: hosts.base,
      osUrl: hosts.os,
      origin,
      ...(access === 'public' && examines !== true ? {} : { agent: credential }),
      operator,
      statusToken: tokens?.[ofToken[id as keyof typeof ofToken]] ?? registered.status_token,
      wallet: privateKeyToAccount(generatePrivateKey()),
      signAsAgent: agent.signText,
      retryForMs: 5_000,
    })
  }

/** The screened texts of every operation but these. */
export const placesBut = (left: readonly string[] = []): Place[] =>
  (operations as readonly AnyOperation[]).filter(({ id }) => !left.includes(id)).flatMap(placesOf)

/** What is wrong with the answer to a secret in this place; undefined where it is refused with its pointer alone. */
export async function faultOf(
  client: Client,
  { operation, path, pointer }: Place,
  secret: string,
): Promise<unknown> {
  const input = withLeaf(exampleOf(operation).input, path, secret)
  const refusal = await client.call(operation.id as OperationId, input as never).then(
    ({ status }) => status,
    (error: unknown) =>
      error instanceof ProblemError ? [error.code, error.problem['errors']] : String(error),
  )
  const text = JSON.stringify(refusal)
  const isRefused = text.startsWith(`["forbidden_material",[{"pointer":"${pointer}",`)
  return isRefused ? undefined : [operation.id, pointer, text]
}

/** The tables that hold one of these texts, also as bytes. */
export async function tablesWith(
  db: Kysely<Database>,
  texts: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(db)
  const sought = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')])
  const found: string[] = []
  for (const { name } of rows) {
    const holds = sql`select 1 from ${sql.table(name)} t, unnest(${sought}::text[]) as sought
      where position(sought in t::text) > 0 limit 1`
    if ((await holds.execute(db)).rows.length > 0) found.push(name)
  }
  return found
}
