import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { scopes } from '#domain/agents/credential.ts'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { rails } from '#domain/rails/index.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { taskDepsOf } from '../../activities/container.ts'
import { deriveTokens, secretSha256 } from '../../activities/keys/derived-tokens.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { loadTokenKeys } from '../../activities/keys/token-keys.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { exampleOf } from '../../api/examples/index.ts'
import {
  type ClientOptions,
  createClient,
  type InputOf,
  type OperationId,
} from '../../api/http/client.ts'
import { type AnyOperation, waysOf } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { exampleOrder } from '../../api/operations/work-orders.ts'
import { openTaskRows } from '../activities/tasks/fixture.ts'
import { type ComposedApis, startComposed } from './composed-api.ts'
import { requestedPilot } from './pilots.ts'
import { decide, type Hosts, trustedAgent } from './registering-agent.ts'

const registry: readonly AnyOperation[] = operations
/** Every operation of the registry that is no GET. */
export const writes = registry.filter(({ http }) => http.method !== 'GET')

/** Settings under which a test may send as many calls as it needs, each from an address of its own. */
export const manyCalls = {
  TRUST_PROXY: '1',
  LIMIT_AGENT_PER_MINUTE: '1000000',
  LIMIT_ADDRESS_PER_MINUTE: '1000000',
  UPDATE_WAIT_MS: '200',
}

/** The answer as it came. */
export type Came = {
  readonly status: number
  readonly code: string
  readonly text: string
  readonly body: Record<string, unknown>
  readonly replayed: boolean
  /** The media type. */
  readonly type: string
}
type Sending = Partial<ClientOptions> & {
  /** What the body becomes on its way. */
  readonly body?: (json: string) => string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Headers of the client that are not sent. */
  readonly strip?: readonly string[]
}

const upload = (operation: AnyOperation) =>
  operation.stream === undefined
    ? {}
    : {
        upload: {
          mediaType: operation.stream.mediaTypes[0],
          bytes: exampleOf(operation).bytes ?? '',
        },
      }

const addresses = { next: 0 }
/** An address that has not called yet. */
const freshAddress = () => {
  const { next } = addresses
  addresses.next += 1
  return `10.${(next >> 16) & 255}.${(next >> 8) & 255}.${next & 255}`
}

/** Sends an input of an operation, or what `body` makes of its JSON, with what the options present. */
export async function send(
  hosts: Hosts,
  operation: AnyOperation,
  input: unknown,
  { body: changed, headers = {}, strip = [], ...options }: Sending = {},
): Promise<Came> {
  const came: Came[] = []
  const client = createClient({
    baseUrl: hosts.base,
    osUrl: hosts.os,
    ...options,
    fetch: async (url, init) => {
      const body =
        changed === undefined || typeof init.body !== 'string'
          ? {}
          : { body: changed(init.body) as string }
      const sent = new Headers(init.headers)
      for (const name of strip) sent.delete(name)
      sent.set('x-forwarded-for', freshAddress())
      for (const [name, value] of Object.entries(headers)) sent.set(name, value)
      const answer = await fetch(url, { ...init, ...body, headers: sent })
      const text = await answer.text()
      const parsed = parsedOf(text)
      came.push({
        status: answer.status,
        code: answer.status < 400 ? '' : String(parsed['code']),
        text,
        body: parsed,
        replayed: answer.headers.get('idempotent-replayed') === 'true',
        type: answer.headers.get('content-type') ?? '',
      })
      return new Response(text, answer)
    },
  })
  const refused = await client
    .call(operation.id as OperationId, input as never, upload(operation))
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  const [first] = came
  if (first === undefined) throw refused
  return first
}

function parsedOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Stands where an operation wants a signature and there is no key to make it. */
const anySignature = () => 'A'.repeat(86)

/** A trusted agent with every scope and rail, and what it and others present to each operation. */
export async function openCallers({ hosts: [first], operator, config }: ComposedApis) {
  const hosts = first as Hosts
  const agent = await trustedAgent(hosts, operator, {
    requested_scopes: [...scopes],
    rails: rails.filter(({ prices }) => prices !== null).map(({ key }) => key),
  })
  const client = createClient({ baseUrl: hosts.base, osUrl: hosts.os, agent: agent.credential })
  return {
    hosts,
    client,
    agent,
    agentId: agent.registered.agent.agent_id,
    /** What an allowed caller of the operation presents; its wallet is a new one. */
    presents: ({ access, examines }: AnyOperation): Partial<ClientOptions> => ({
      origin: config.BASE_URL,
      ...(access === 'public' && examines !== true ? {} : { agent: agent.credential }),
      operator,
      statusToken: agent.registered.status_token,
      wallet: privateKeyToAccount(generatePrivateKey()),
      signAsAgent: agent.agent.signText,
    }),
    /** Credentials that have the right form, each time others: failures at one key are counted too. */
    guessed: () => {
      const [id, secret] = [randomBytes(8).toString('hex'), randomBytes(32)]
      return {
        agent: `ag_${id}_${secret.toString('hex')}`,
        operator: `op_${id}_${secret.toString('hex')}`,
        statusToken: `st_${secret.toString('base64url')}`,
        signAsAgent: anySignature,
      } satisfies Partial<ClientOptions>
    },
  }
}
export type Callers = Awaited<ReturnType<typeof openCallers>>

/** Whether an operation takes callers that present nothing. */
export const isOpen = (operation: AnyOperation): boolean => waysOf(operation).includes('public')

/** What refused calls may change: the numbers that limits count. The log follows the receipts, which are counted. */
const counters = ['window_counts']

/** For each table, how many rows it has and when the last of them was written; of calls, those that had an effect. */
export async function openRows(db: Kysely<Database>) {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename <> all (${counters}) and tablename not like 'log\\_%'`.execute(
    db,
  )
  const each = tables.map(({ name }) => {
    const effective = name === 'calls' ? sql`where grant_state = 'used'` : sql``
    return sql`select ${name}::text as name, count(*) || ' to ' || coalesce(max(xmin::text::bigint), 0) as state
      from ${sql.table(name)} ${effective}`
  })
  const all = sql<{ name: string; state: string }>`${sql.join(each, sql` union all `)}`
  const read = async () => new Map((await all.execute(db)).rows.map((row) => [row.name, row.state]))
  let last = await read()
  return {
    /** The tables that were written since the last time. */
    changed: async (): Promise<string[]> => {
      const before = last
      last = await read()
      return [...last].filter(([name, state]) => before.get(name) !== state).map(([name]) => name)
    },
  }
}

/** Objects whose members their callers name: the input of a rail, which the rail reads, and what is signed or judged as it is. */
const open = [
  /^(investor-demo(-detail)?-run|provider-event-receive) $/,
  / \/(input|action\/input|signed_mandate|signed_action_grant|analysis_result|payload)(\/|$)/,
]
export const isNamedByCallers = (place: string): boolean => open.some((form) => form.test(place))

type Path = readonly string[]
/** Every value inside of a JSON value, with the way to it. */
export function* placesIn(value: unknown, path: Path = []): Generator<[Path, unknown]> {
  yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) yield* placesIn(part, [...path, name])
}

/** A copy with another value at one place. */
export function withValue(value: unknown, [name, ...rest]: Path, other: unknown): unknown {
  if (name === undefined) return other
  const copy = structuredClone(value) as Record<string, unknown>
  copy[name] = withValue(copy[name], rest, other)
  return copy
}

const idForm = /^([a-z]{2,4})_[0-9a-zA-Z_-]{16,}$/
/** An input whose ids are these instead, each by its prefix; the prefixes that it has none for are left as they are. */
export function withIds(input: unknown, ids: ReadonlyMap<string, string>): unknown {
  let changed = input
  for (const [path, value] of placesIn(input)) {
    const [, prefix = ''] = (typeof value === 'string' && idForm.exec(value)) || []
    const id = ids.get(prefix)
    if (id !== undefined) changed = withValue(changed, path, id)
  }
  return changed
}

const freshKey = () => randomBytes(6).toString('hex')
const inputOf = (id: OperationId): object => exampleOf({ id }).input

/** Records of an agent, which its calls can name: their ids by prefix, and the tokens of a task, an order and a pilot. */
export async function openRecords(apis: ComposedApis, { hosts, client, agentId }: Callers) {
  const { call } = client
  const asOperator = createClient({ baseUrl: hosts.base, osUrl: hosts.os, operator: apis.operator })
  const open = createClient({ baseUrl: hosts.base, osUrl: hosts.os })
  const key = () => ({ idempotency_key: freshKey() })
  const packet = { rail: 'packetops', tier: 'standard' } as const
  const { quote_id } = (await call('agent-quote', { ...packet, ...key() })).body.quote
  const wallet = (await call('allowance-wallet-create', { label: 'a', limits: {}, ...key() })).body
  const paid = await call('payment-reference-create', {
    quote_id,
    method: 'invoice_reference',
    external_reference: `INV-${freshKey()}`,
    ...key(),
  })
  const { payment_reference_id, entitlement_id, challenge_id } = paid.body.payment_reference
  await decide(hosts, apis.operator, payment_reference_id, 'approve', {
    subject_kind: 'payment_reference',
  })
  const used = await call('usage-ledger-record', {
    kind: 'tool_call',
    entitlement_id: entitlement_id ?? '',
    units: 1,
    unit: 'usd_credit',
    ...key(),
  })
  const receipt_id = used.body.receipt?.receipt_id ?? ''
  const { listing } = (
    await call('create-trust-listing', {
      mode: 'create_trust_listing',
      display_name: 'Packet maker',
      summary: 'Makes packets.',
      rails: ['packetops'],
      evidence_receipt_ids: [receipt_id],
      ...key(),
    })
  ).body
  const begun = await call('activation-start', { ...packet, customer_account: 'acme', ...key() })
  const workflow = await call('customer-workflow-create', {
    ...packet,
    customer_account: 'acme',
    name: 'A packet every day',
    acceptance_criteria: ['each section is covered'],
    callback_url: `${apis.config.BASE_URL}${demoReceiverPath}?receiver=${freshKey()}`,
    wallet_id: wallet.wallet.wallet_id,
    cadence: 'daily',
    input: packetops.sandboxInput as unknown as Record<string, unknown>,
    accept_terms: true,
    ...key(),
  })
  const proof = await call('commerce-proof-evaluate', {
    ...inputOf('commerce-proof-evaluate'),
    ...key(),
  } as InputOf<'commerce-proof-evaluate'>)
  const prospect = await asOperator.call('create-prospect', {
    ...inputOf('create-prospect'),
    ...key(),
  } as InputOf<'create-prospect'>)
  const pilot = (await requestedPilot(hosts.base)).status_token
  const task_token = `tk_${randomBytes(32).toString('base64url')}`
  const deps = taskDepsOf(apis.config, loadKeyRings(apis.config.SIGNING_KEYS_FILE), apis.db)
  const task = await openTaskRows(apis.db, deps).taskIn(
    'operating',
    { agent_id: agentId, usage: 'operational' },
    { named: `task-${secretSha256(task_token)}` },
  )
  // An order waits for Temporal, so that its answer with the token never comes; the order itself is stored.
  const asked = { ...exampleOrder, ...key() } as InputOf<'work-order-create'>
  await open.call('work-order-create', asked).catch(() => undefined)
  const { rows } = await sql<{ call_id: string; work_order_id: string }>`
    select call_id, work_order_id from calls, work_orders
    where operation = 'work-order-create' and agent_id is null`.execute(apis.db)
  const [ordered] = rows
  const tokens = deriveTokens(loadTokenKeys(apis.config.TOKEN_KEYS_FILE), async () => undefined)
  const ids = [
    quote_id,
    payment_reference_id,
    entitlement_id,
    challenge_id,
    wallet.wallet.wallet_id,
    receipt_id,
    listing.trust_listing_id,
    begun.body.activation.activation_id,
    workflow.body.workflow.workflow_id,
    proof.body.proof_id,
    prospect.body.prospect.prospect_id,
    task.contract_id,
    task.run_id,
    task.task_id,
    task_token,
    agentId,
    ordered?.work_order_id,
  ].map(String)
  return {
    ids: new Map(ids.map((id) => [id.split(/[_-]/)[0] as string, id])),
    tokens: {
      tk: task_token,
      wt: await tokens.statusToken('wt', ordered?.call_id ?? ''),
      pt: pilot,
    },
  }
}

/** A service that takes many calls, with its callers and the ids of records that they can name. */
export async function openAttacked() {
  const apis = await startComposed({ env: manyCalls })
  const callers = await openCallers(apis)
  return { apis, callers, ids: (await openRecords(apis, callers)).ids }
}
