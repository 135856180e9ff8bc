import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { verifies } from '../../../verifies.ts'

type Input = Record<string, unknown>

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks()
  const scopes = ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'] as const
  agent = await openAgentUse(apis.hosts[0]!, apis.operator, {
    rails: ['packetops', 'tokenops'],
    requested_scopes: [...scopes],
  })
})
afterAll(async () => {
  await apis?.stop()
})

const sample = packetops.sandboxInput as unknown as Input
const faulty: Input = {
  ...sample,
  title: 7,
  items: (sample['items'] as Input[]).map((item) => ({ ...item, issued_at: '31.12.2025' })),
}
const items = (faulty['items'] as unknown[]).length
/** The groups of the faulty input at a place of a call. */
const groupsAt = (place: string) => [
  {
    kind: 'wrong_format',
    field: `${place}/items/*/issued_at`,
    message: expect.any(String),
    count: items,
    first: Array.from({ length: Math.min(items, 5) }, (_, row) => ({
      pointer: `${place}/items/${row}/issued_at`,
      row,
      value: '"31.12.2025"',
    })),
  },
  {
    kind: 'wrong_type',
    field: `${place}/title`,
    message: expect.any(String),
    count: 1,
    first: [{ pointer: `${place}/title`, row: null, value: '7' }],
  },
]
const rejected = (place = '/input') => ({
  code: 'input_rejected',
  status: 422,
  money_moved: 'no',
  errors: expect.arrayContaining([{ pointer: `${place}/title`, message: expect.any(String) }]),
  faults: { total: items + 1, groups: groupsAt(place), groups_left_out: 0 },
})

const tables = [
  'tasks',
  'work_orders',
  'quotes',
  'entitlements',
  'task_credits',
  'payment_references',
  'payment_challenges',
  'postings',
  'action_grants',
  'delegated_actions',
  'receipts',
  'contracts',
  'task_documents',
  'recovery_requests',
]
/** What money, credit, grants, work and receipts there are. */
const books = async () => {
  const counts = tables.map(
    (table) => sql`(select count(*)::int from ${sql.table(table)}) as ${sql.ref(table)}`,
  )
  const { rows } = await sql`select ${sql.join(counts)},
    (select coalesce(json_agg(w order by wallet_id), '[]') from allowance_wallets w) as wallets`.execute(
    apis.db,
  )
  return rows[0]
}

verifies(
  'rails.faults-before-money',
  'each start and quote refuses faults alike and leaves no trace',
  async () => {
    const { client } = agent
    const { quote_id } = await agent.quote()
    const asked = { limits: {}, idempotency_key: freshKey() }
    const { wallet_id } = (await client.call('allowance-wallet-create', asked)).body.wallet
    const run = { rail: 'packetops', tier: 'standard' } as const
    const agreed = { ...run, quote_id, on_gaps: 'report', accept_terms: true } as const
    const order = { ...exampleOrder, input: faulty } as InputOf<'work-order-create'>
    const calls: Record<string, (key: string) => Promise<unknown>> = {
      start: () => agent.start({ ...agent.startInput(quote_id), input: faulty }),
      'x402 start': () =>
        createClient({
          baseUrl: apis.hosts[0]!.base,
          agent: agent.credential,
          fetch: (url, init) =>
            fetch(url, {
              ...init,
              headers: { ...(init?.headers as object), 'PAYMENT-SIGNATURE': 'eyJ4IjoxfQ==' },
            }),
        }).call('start-agent-run', { ...agent.startInput(quote_id), input: faulty }),
      'wallet run': (idempotency_key) =>
        client.call('wallet-run-start', { ...agreed, input: faulty, wallet_id, idempotency_key }),
      order: (idempotency_key) => client.call('work-order-create', { ...order, idempotency_key }),
      preflight: (idempotency_key) =>
        client.call('preflight', {
          ...run,
          input: faulty,
          objective: 'one packet',
          on_gaps: 'report',
          idempotency_key,
        }),
      'quote run': (idempotency_key) =>
        client.call('quote-run', { mode: 'quote_run', ...run, input: faulty, idempotency_key }),
      'pricing quote': (idempotency_key) =>
        client.call('agent-pricing-quote', { ...run, input: faulty, idempotency_key }),
      quote: (idempotency_key) =>
        client.call('agent-quote', { ...run, input: faulty, idempotency_key }),
    }
    const before = await books()
    for (const [name, call] of Object.entries(calls))
      expect(await problemOf(call(freshKey())), name).toMatchObject(rejected())
    expect(await books()).toEqual(before)
  },
)

verifies('rails.faults-before-money', 'the steps of an order are refused together', async () => {
  const { input: _input, ...rest } = exampleOrder
  const steps = [
    { rail: 'packetops', input: faulty },
    { rail: 'packetops', input: sample },
    { rail: 'tokenops', input: { price_table: [], usage: [{ at: 'now' }] } },
  ] as const
  const order = { ...rest, requested_tool_id: 'service_os', steps, idempotency_key: freshKey() }
  const problem = await problemOf(
    agent.client.call('work-order-create', order as unknown as InputOf<'work-order-create'>),
  )
  expect(problem).toMatchObject({
    code: 'input_rejected',
    faults: {
      total: items + 5,
      groups: expect.arrayContaining([
        ...groupsAt('/steps/0/input'),
        expect.objectContaining({
          kind: 'missing_field',
          field: '/steps/2/input/usage/*/model',
          first: [{ pointer: '/steps/2/input/usage/0/model', row: 0, value: null }],
        }),
      ]),
    },
  })
})

verifies(
  'rails.faults-before-money',
  'a preflight announces the input that it reads and keeps none of it',
  async () => {
    const asked = {
      rail: 'packetops',
      tier: 'standard',
      objective: 'one packet',
      on_gaps: 'report',
    } as const
    const begun = await agent.client.call('preflight', {
      ...asked,
      input: sample,
      idempotency_key: freshKey(),
    })
    expect(begun).toMatchObject({ status: 201, body: { blocking: [] } })
    const { task_id } = begun.body.task
    const { rows } = await sql<{ content: { input_manifest?: object[] } }>`
      select body as content from task_documents where task_id = ${task_id}`.execute(apis.db)
    expect(rows.map(({ content }) => content.input_manifest)).toEqual([
      [expect.objectContaining({ name: 'input', sha256: digestOf(sample) })],
    ])
    const other = [{ name: 'other', sha256: 'ab'.repeat(32), bytes: 9 }]
    const mismatch = { ...asked, input: sample, input_manifest: other, idempotency_key: freshKey() }
    expect(await problemOf(agent.client.call('preflight', mismatch))).toMatchObject({
      code: 'evidence_mismatch',
    })
    const announced = { ...asked, input_manifest: other, idempotency_key: freshKey() }
    expect(await problemOf(agent.client.call('preflight', announced))).toMatchObject({
      code: 'input_rejected',
      errors: [{ pointer: '/input', message: 'is missing' }],
    })
    const nothing = { ...asked, idempotency_key: freshKey() }
    expect(await problemOf(agent.client.call('preflight', nothing))).toMatchObject({
      code: 'invalid_request',
    })
  },
)

/** Uploads a list of usage rows and returns the input of tokenops that names it. */
async function uploaded(rows: readonly string[]): Promise<Input> {
  const bytes = Buffer.from(['at,model,input_tokens,output_tokens', ...rows].join('\n'))
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const upload = { mediaType: 'text/csv', bytes } as const
  await agent.client.call('input-upload', { sha256 }, { upload })
  return { ...(tokenops.sandboxInput as unknown as Input), usage: { sha256 } }
}
const good = '2026-01-01T00:00:00Z,m,1,2'

verifies('tiers.limits', 'uploaded rows count with inline ones before money', async () => {
  const input = await uploaded(Array.from({ length: 10_001 }, () => good))
  const asked = { rail: 'tokenops', tier: 'entry', input, idempotency_key: freshKey() } as const
  expect(await problemOf(agent.client.call('agent-quote', asked))).toMatchObject({
    code: 'input_rejected',
    faults: { groups: [{ message: 'tokenops entry takes at most 10000 rows, these are 10001' }] },
  })
})

verifies(
  ['rails.faults-before-money', 'input.checked'],
  'each call that takes an input reads its uploads, once, before money',
  async () => {
    const { client } = agent
    const input = await uploaded([good, '2026-01-01T00:00:00Z,m,-1,2', 'then,m,-2,2', good])
    const run = { rail: 'tokenops', tier: 'standard' } as const
    const asked = { ...run, input, on_gaps: 'report' } as const
    const quote = (await client.call('agent-quote', { ...run, idempotency_key: freshKey() })).body
    const { quote_id } = quote.quote
    const paying = {
      ...asked,
      quote_id,
      accept_terms: true as const,
      wallet_id: `aw_${'1'.repeat(64)}`,
    }
    const order = { ...exampleOrder, requested_tool_id: 'tokenops', input, tier: 'standard' }
    const calls: Record<string, (idempotency_key: string) => Promise<unknown>> = {
      preflight: (idempotency_key) =>
        client.call('preflight', { ...asked, objective: 'one bill', idempotency_key }),
      quote: (idempotency_key) => client.call('agent-quote', { ...run, input, idempotency_key }),
      'wallet run': (idempotency_key) =>
        client.call('wallet-run-start', { ...paying, idempotency_key }),
      order: (idempotency_key) =>
        client.call('work-order-create', {
          ...order,
          idempotency_key,
        } as InputOf<'work-order-create'>),
    }
    const before = await books()
    for (const [name, call] of Object.entries(calls))
      expect(await problemOf(call(freshKey())), name).toMatchObject({
        code: 'input_rejected',
        status: 422,
        money_moved: 'no',
        detail: 'the input has 3 faults',
        faults: {
          total: 3,
          groups: [
            {
              kind: 'out_of_bounds',
              field: '/input/usage/*/input_tokens',
              count: 2,
              first: [
                { pointer: '/input/usage/1/input_tokens', row: 1, value: '-1' },
                { pointer: '/input/usage/2/input_tokens', row: 2, value: '-2' },
              ],
            },
            { kind: 'wrong_format', field: '/input/usage/*/at', count: 1 },
          ],
        },
      })
    expect(await books()).toEqual(before)
    const { sha256 } = input['usage'] as { sha256: string }
    const { rows } = await sql`select attempts, outcome->>'rows' as rows from upload_checks
      where sha256 = ${sha256}`.execute(apis.db)
    expect(rows).toEqual([{ attempts: 1, rows: '4' }])
    const right = { ...asked, input: await uploaded([good]), objective: 'one bill' }
    const begun = await client.call('preflight', { ...right, idempotency_key: freshKey() })
    expect(begun).toMatchObject({ status: 201, body: { blocking: [] } })
  },
)

verifies(
  ['input.checked', 'input.readings'],
  'uploads of others and too many readings are refused',
  async () => {
    const { client } = agent
    const input = {
      ...(tokenops.sandboxInput as unknown as Input),
      usage: { sha256: 'cd'.repeat(32) },
    }
    const quote = (given: Input) =>
      problemOf(
        client.call('agent-quote', {
          rail: 'tokenops',
          tier: 'standard',
          input: given,
          idempotency_key: freshKey(),
        }),
      )
    expect(await quote(input)).toMatchObject({ code: 'evidence_mismatch' })
    const held = await uploaded([good, good])
    const { sha256 } = held['usage'] as { sha256: string }
    const fill = (began: string, count: number) =>
      sql`insert into upload_checks (check_id, owner, sha256, rail, list, corrections, began_at)
      select 'uc_' || encode(sha256((n || ${began})::bytea), 'hex'), owner, sha256, 'tokenops',
        'usage', '{}', clock_timestamp() - ${began}::interval
      from agent_inputs, generate_series(1, ${count}) as n where sha256 = ${sha256}`.execute(
        apis.db,
      )
    await fill('1 minute', 2)
    expect(await quote(held)).toMatchObject({ code: 'rate_limited', status: 429 })
    await sql`delete from upload_checks where outcome is null`.execute(apis.db)
    await sql`insert into upload_readings (check_id, owner, bytes, began_at)
    select 'uc_' || ${sha256}, owner, ${16 * 1024 ** 3}, clock_timestamp() - interval '23 hours'
    from agent_inputs where sha256 = ${sha256}`.execute(apis.db)
    const used = await quote(held)
    expect(used).toMatchObject({
      code: 'rate_limited',
      status: 429,
      detail: expect.stringContaining('within 24 hours'),
    })
    expect(used.retry_after_ms).toBeGreaterThan(3_590_000)
    expect(used.retry_after_ms).toBeLessThanOrEqual(3_600_000)
  },
)

verifies(
  ['tiers.limits', 'tiers.shown'],
  'an input too large for its tier costs nothing',
  async () => {
    const [item] = sample['items'] as Input[]
    const input = { ...sample, items: Array.from({ length: 51 }, () => item) }
    const before = await books()
    const asked = { mode: 'quote_run', rail: 'packetops', tier: 'entry', input } as const
    expect(await problemOf(agent.client.call('quote-run', asked))).toMatchObject({
      code: 'input_rejected',
      faults: {
        groups: [
          { message: 'packetops entry takes at most 50 rows, these are 51', field: '/input/items' },
        ],
      },
    })
    expect(await books()).toEqual(before)
    const { quote } = (await agent.client.call('quote-run', { ...asked, tier: 'standard' })).body
    expect(quote.tier_terms).toMatchObject({ rows_max: 200, leaves_out: [] })
    const { rails } = (await agent.client.call('agent-pricing', { rail: 'packetops' })).body
    expect(rails).toMatchObject([
      { tiers: { entry: { rows_max: 50 }, standard: quote.tier_terms } },
    ])
  },
)
