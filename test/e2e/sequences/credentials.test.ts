import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import { type ClientOptions, createClient, ProblemError } from '../../../api/http/client.ts'
import { newAgentClient, trustedAgent } from '../../support/registering-agent.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const perMinute = 40
const failures = 6
let stack: TestStack
let open: OpenDatabase
beforeAll(async () => {
  const limits = {
    LIMIT_AGENT_PER_MINUTE: perMinute,
    LIMIT_FAILED_CREDENTIALS_PER_MINUTE: failures,
    TRUST_PROXY: 1,
  }
  const env = Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, String(value)]),
  )
  stack = await startStack({ apis: 2, env })
  open = createDatabase({ url: stack.databaseUrl, applicationName: 'test' })
})
afterAll(async () => {
  await open?.close()
  await stack?.stop()
})

const hosts = (api = 0) => ({
  base: stack.baseUrls[api] as string,
  os: stack.osUrls[api] as string,
})
let addresses = 0
const newAddress = () => `10.2.0.${(addresses++ % 250) + 1}`

/** A client of one API process that calls from an address of its own. */
function client(api: number, options: Partial<ClientOptions> = {}, from = newAddress()) {
  const send = (url: string, init: RequestInit) =>
    fetch(url, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'X-Forwarded-For': from },
    })
  return createClient({ baseUrl: hosts(api).base, osUrl: hosts(api).os, fetch: send, ...options })
}
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: unknown) => (error instanceof ProblemError ? error.code : String(error)),
  )
const statement = {
  mode: 'sign_with_active_signing_version',
  payload_sha256: 'a'.repeat(64),
} as const
const sign = (api: number, agent: string, from?: string) =>
  codeOf(client(api, { agent }, from).call('signing-sign', statement))
const onBoth = <T>(ask: (api: number) => Promise<T>) => Promise.all([ask(0), ask(1)])
const trusted = (more?: Parameters<typeof trustedAgent>[2]) =>
  trustedAgent(hosts(), stack.accounts.operator.credential, more)

/** Every row of every table, as text. */
async function everythingStored(): Promise<string> {
  const tables = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(open.db)
  const texts = tables.rows.map(({ name }) =>
    sql<{
      all: string | null
    }>`select string_agg(t::text, ' ') as all from ${sql.table(name)} t`.execute(open.db),
  )
  return (await Promise.all(texts)).map(({ rows: [row] }) => row?.all ?? '').join('\n')
}

verifies(
  ['agent.access', 'agent.credential.digest'],
  'a credential opens its own scopes alone and is kept as a digest',
  async () => {
    const { credential, credentialId } = await trusted({
      rails: ['tokenops'],
      requested_scopes: ['runs:write'],
    })
    expect(await onBoth((api) => sign(api, credential))).toEqual(['scope_denied', 'scope_denied'])
    const begin = (rail: 'tokenops' | 'packetops') => (api: number) =>
      codeOf(
        client(api, { agent: credential }).call('preflight', {
          rail,
          tier: 'entry',
          input: tokenops.sandboxInput as unknown as Record<string, unknown>,
          objective: 'cost of a month',
          idempotency_key: `begin-${rail}-${api}`,
        }),
      )
    expect(await onBoth(begin('packetops'))).toEqual(['rail_not_allowed', 'rail_not_allowed'])
    expect(await onBoth(begin('tokenops'))).toEqual(['ok', 'ok'])
    const secret = credential.split('_')[2] ?? ''
    const digest = createHash('sha256').update(secret).digest('hex')
    const rows = await open.db
      .selectFrom('agent_credentials')
      .select('secret_sha256')
      .where('credential_id', '=', credentialId)
      .execute()
    expect([secret.length, rows]).toEqual([64, [{ secret_sha256: digest }]])
    const kept = `${await everythingStored()}\n${Object.values(stack.logs()).join('\n')}`
    expect([kept.includes(digest), kept.includes(secret)]).toEqual([true, false])
  },
)

verifies(
  'agent.access',
  'the calls of each credential are counted over both processes',
  async () => {
    const [one, other] = [await trusted(), await trusted()]
    const answers = await Promise.all(
      Array.from({ length: perMinute * 2 }, (_, index) => sign(index % 2, one.credential)),
    )
    const passed = answers.filter((code) => code === 'ok').length
    // A process takes its share in portions, and may leave the rest of one unspent.
    expect([passed <= perMinute, passed > perMinute / 2]).toEqual([true, true])
    expect(new Set(answers)).toEqual(new Set(['ok', 'rate_limited']))
    expect(await sign(1, other.credential)).toBe('ok')
  },
)

verifies(
  ['agent.attempts.slowed', 'agent.attempts.counted'],
  'guesses are slowed at both processes, a right credential is not',
  async () => {
    const { credential, credentialId } = await trusted()
    const from = newAddress()
    for (let attempt = 0; attempt < failures; attempt++) {
      const guess = `ag_${credentialId}_${randomBytes(32).toString('hex')}`
      expect(await sign(attempt % 2, guess, from)).toBe('credential_invalid')
    }
    const times: number[] = []
    // A guess is delayed by a second each time; a busy machine is not slow each time.
    for (let attempt = 0; attempt < 5; attempt++) {
      const begun = performance.now()
      expect(await onBoth((api) => sign(api, credential, from))).toEqual(['ok', 'ok'])
      times.push(performance.now() - begun)
    }
    expect(Math.min(...times)).toBeLessThan(950)
    expect(await onBoth((api) => sign(api, credential))).toEqual(['ok', 'ok'])
    const counted = await open.db
      .selectFrom('window_counts')
      .select(['key', 'points'])
      .where('key', 'in', [`failed:address:${from}`, `failed:credential:${credentialId}`])
      .orderBy('key')
      .execute()
    expect(counted.map((row) => row.points)).toEqual([failures, failures])
  },
)

verifies(
  'agent.secrets.not-stored',
  'forbidden material is refused in each call and stored nowhere',
  async () => {
    const { credential } = await trusted({ rails: ['tokenops'] })
    const seed = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const agent = newAgentClient(hosts())
    const refused = [
      client(0).call('agent-register', agent.manifest({ capabilities: [`restores ${seed}`] })),
      client(1, { agent: credential }).call('signing-sign', {
        mode: 'sign_with_active_signing_version',
        payload: { note: seed },
      }),
      client(0, { agent: credential }).call('preflight', {
        rail: 'tokenops',
        tier: 'entry',
        input_manifest: [{ name: 'usage', sha256: 'a'.repeat(64), bytes: 10 }],
        objective: seed,
        idempotency_key: 'begin-with-secret',
      }),
      client(1, { operator: stack.accounts.operator.credential }).call('loop-review-record', {
        subject_kind: 'agent',
        subject_id: `agt_${'0'.repeat(64)}`,
        decision: 'approve',
        note: seed,
        evidence_seen_sha256: ['0'.repeat(64)],
        idempotency_key: 'decide-with-secret',
      }),
    ]
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'forbidden_material'))
    const kept = `${await everythingStored()}\n${Object.values(stack.logs()).join('\n')}`
    expect(kept).not.toContain('sausage')
  },
)
