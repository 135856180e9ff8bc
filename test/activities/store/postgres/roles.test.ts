import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import type { UploadOutcome } from '#domain/rails/input-faults.ts'
import { endUploadCheck } from '../../../../activities/store/agents/upload-checks.ts'
import { hastenRotation } from '../../../../activities/store/keys/key-rotations.ts'
import { writeControl } from '../../../../activities/store/payouts/controls.ts'
import { createRoles, roleUrl } from '../../../../activities/store/postgres/create-roles.ts'
import { createDatabase, type OpenDatabase } from '../../../../activities/store/postgres/db.ts'
import { readPublicRights } from '../../../../activities/store/postgres/public-rights.ts'
import {
  columnsReadByRuns,
  type DatabaseRole,
  databaseRoles,
  grantPrivileges,
  guardedTables,
  roleName,
  usualPrivileges,
} from '../../../../activities/store/postgres/roles.ts'
import { startOwnDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
const open: OpenDatabase[] = []
const passwords = { api: 'a', worker: 'w/&?', runs: 'x', signer: 's', reader: 'r' }

beforeAll(async () => {
  database = await startOwnDatabase()
  await Promise.all([1, 2, 3].map(() => createRoles(database.url, passwords)))
  await Promise.all([1, 2, 3].map(() => grantPrivileges(database.db)))
})
afterAll(async () => {
  for (const { close } of open) await close()
  await database?.stop()
})

function as(role: DatabaseRole) {
  const made = createDatabase({
    url: roleUrl(database.url, role, passwords),
    applicationName: role,
    poolSize: 2,
  })
  open.push(made)
  return made.db
}

async function privilegesOf(role: DatabaseRole): Promise<Record<string, string[]>> {
  const kinds = ['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']
  const { rows } = await sql<{ name: string; held: string[] }>`select c.relname as name,
      array(select k from unnest(${kinds}::text[]) k where has_table_privilege(${roleName(role)}, c.oid, k)) as held
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind in ('r', 'p')`.execute(
    database.db,
  )
  return Object.fromEntries(rows.map(({ name, held }) => [name, held]))
}

verifies(
  'signer.roles',
  'each role has exactly the declared rights, also on later tables',
  async () => {
    await sql`create table made_later (id integer)`.execute(database.db)
    for (const role of databaseRoles) {
      const held = await privilegesOf(role)
      expect(Object.keys(guardedTables).filter((table) => held[table] === undefined)).toEqual([])
      const declared = Object.keys(held).map((table) => [
        table,
        [...(guardedTables[table]?.[role] ?? usualPrivileges[role])],
      ])
      expect(held, role).toEqual(Object.fromEntries(declared))
    }
    await sql`drop table made_later`.execute(database.db)
  },
)

const refused = { code: '42501' }

verifies(
  'signer.roles',
  'the API’s role writes no payout, transfer, switch or key by SQL',
  async () => {
    const api = as('api')
    for (const statement of [
      "update payouts set state = 'authorized'",
      'delete from payouts',
      'insert into payouts default values',
      'insert into transfers default values',
      "update transfers set signature = '0x'",
      'update controls set paused = false',
      "insert into controls (scope, target, paused, reason, operator_id) values ('service', '', false, 'r', 'o')",
      'delete from controls',
      'update signing_keys set revoked_at = null',
      'insert into signing_keys default values',
      "update key_rotations set state = 'done'",
      'insert into operators default values',
      'update receipts set jws = null',
      'truncate calls',
      'alter table payouts disable trigger all',
      'set session_replication_role = replica',
      'create table mine (id integer)',
      'drop trigger transfers_begin on transfers',
      'set role agent_rails_worker',
    ])
      await expect(sql.raw(statement).execute(api), statement).rejects.toMatchObject(refused)
    await expect(sql`select from payouts for update`.execute(api)).rejects.toMatchObject(refused)
    expect(await hastenRotation(api, 'log')).toBeUndefined()
  },
)

verifies('signer.runs-role', 'the role of runs writes no money, order or key', async () => {
  const runs = as('runs')
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`.execute(
    database.db,
  )
  const written = await Promise.all(
    rows.map(async ({ name }) => {
      const { rows: held } = await sql<{ writes: boolean }>`select
        has_table_privilege('agent_rails_runs', ${name}, 'insert, update, delete, truncate') as writes`.execute(
        runs,
      )
      return held[0]?.writes ? [name] : []
    }),
  )
  expect(written.flat()).toEqual([
    'agent_input_chunks',
    'loop_steps',
    'model_calls',
    'receipts',
    'return_packages',
    'run_drafts',
    'runs',
    'step_attempts',
    'task_documents',
    'task_events',
    'task_exceptions',
    'tasks',
    'upload_checks',
    'upload_readings',
  ])
  for (const statement of [
    'insert into postings default values',
    'update account_balances set units = 1',
    "update fee_events set state = 'released'",
    'update entitlements set granted_units = 1',
    'insert into payment_references default values',
    'update task_credits set units = 0',
    'insert into production_writes default values',
    'select * from operator_sessions',
    "select register_signing_key('receipt', 'mine', 'EdDSA', '{}', 'active')",
    'set role agent_rails_api',
  ])
    await expect(sql.raw(statement).execute(runs), statement).rejects.toMatchObject(refused)
  // It decides nothing either, in the tables that it writes.
  const task = `task-${'1'.repeat(64)}`
  const approval = sql`insert into task_events (task_id, sequence, event, actor, prev_hash)
    values (${task}, 1, 'approved', 'operator:Ada', encode(sha256(convert_to(${`{"task_id":"${task}","type":"service.task.v1"}`}, 'UTF8')), 'hex'))`
  await expect(approval.execute(runs)).rejects.toThrow(
    'a worker of runs records the outcome of runs alone',
  )
})

verifies('signer.runs-role', 'the role of runs reads what its steps need', async () => {
  const held = await privilegesOf('runs')
  const whole = Object.keys(held).filter((table) => held[table]?.includes('select'))
  expect(whole.sort()).toEqual([
    'agent_input_chunks',
    'agent_inputs',
    'contracts',
    'exchange_claims',
    'loop_steps',
    'model_calls',
    'receipts',
    'return_packages',
    'run_drafts',
    'runs',
    'signing_keys',
    'step_attempts',
    'task_documents',
    'task_events',
    'task_exceptions',
    'tasks',
    'upload_checks',
    'upload_readings',
  ])
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
      and has_column_privilege('agent_rails_runs', c.oid, a.attnum, 'select')
    group by 1`.execute(database.db)
  const parts = rows.filter(({ name }) => !whole.includes(name))
  const declared = Object.entries(columnsReadByRuns)
  expect(Object.fromEntries(parts.map(({ name, columns }) => [name, columns]))).toEqual(
    Object.fromEntries(declared.map(([name, columns]) => [name, columns.toSorted()])),
  )
  const runs = as('runs')
  for (const statement of [
    'select * from agent_credentials',
    'select secret_sha256 from agent_credentials',
    'select * from operators',
    'select * from operator_sessions',
    'select * from agents',
    'select * from accounts',
    'select * from account_controls',
    'select * from allowance_wallets',
    'select * from account_wallets',
    'select * from postings',
    'select * from payments',
    'select * from payouts',
    'select * from transfers',
    'select * from gas_wallets',
    'select * from calls',
    'select * from callback_deliveries',
    'select * from harness_facts',
    'select * from key_rotations',
    'select * from pilots',
    'select payer from payment_references',
    'select granted_units from entitlements',
    'select * from quotes',
    'select requester from work_orders',
  ])
    await expect(sql.raw(statement).execute(runs), statement).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|42703)$/),
    })
  await sql`select state, reason from payment_references`.execute(runs)
})

verifies('signer.runs-role', 'the role of runs deletes bytes with a secret alone', async () => {
  const { db } = database
  const { blob_id } = await db
    .insertInto('agent_input_blobs')
    .values({ owner: 'agt_1' })
    .returning('blob_id')
    .executeTakeFirstOrThrow()
  const sha256 = 'a'.repeat(64)
  await sql`insert into agent_input_chunks values (${blob_id}, 0, 'a')`.execute(db)
  await sql`insert into agent_inputs (owner, sha256, blob_id, byte_length, media_type)
    values ('agt_1', ${sha256}, ${blob_id}, 1, 'text/csv')`.execute(db)
  const check_id = `uc_${'1'.repeat(64)}`
  await sql`insert into upload_checks (check_id, owner, sha256, rail, list, columns)
    values (${check_id}, 'agt_1', ${sha256}, 'tokenops', 'usage', '[]')`.execute(db)
  const runs = as('runs')
  await expect(sql`delete from agent_input_chunks`.execute(runs)).rejects.toThrow('secret alone')
  await endUploadCheck(runs, check_id, { secret: 'private_key' } as UploadOutcome)
  const { rows } = await sql`select from agent_input_chunks`.execute(db)
  expect(rows).toEqual([])
})

verifies('signer.roles', 'only the API’s role sets a control, by its function', async () => {
  const api = as('api')
  const receipt_id = `rc_${'1'.repeat(64)}`
  const row = {
    receipt_id,
    subject: 's',
    seq: 0,
    kind: 'control_change',
    jws: 'j',
    kid: 'k',
    payload_sha256: 'p',
  }
  await api.insertInto('receipts').values(row).execute()
  const change = {
    change_id: `ctl_${'1'.repeat(64)}`,
    scope: 'service' as const,
    target: '',
    paused: true,
    reason: 'audit',
    operator_id: 'op_1',
    operator_name: 'night shift',
    receipt_id,
    changed_at: new Date(),
  }
  for (const role of ['reader', 'signer'] as const)
    await expect(writeControl(as(role), change), role).rejects.toMatchObject(refused)
  await writeControl(api, change)
  const [control] = await api.selectFrom('controls').selectAll().execute()
  expect(control).toMatchObject({ scope: 'service', paused: true, reason: 'audit' })
  expect(await as('reader').selectFrom('control_changes').select('reason').execute()).toEqual([
    { reason: 'audit' },
  ])
})

verifies(
  'signer.roles',
  'the reader only reads; the signer sees three tables and signs',
  async () => {
    const [reader, signer] = [as('reader'), as('signer')]
    await expect(sql`delete from calls`.execute(reader)).rejects.toMatchObject(refused)
    await expect(sql`select from calls`.execute(signer)).rejects.toMatchObject(refused)
    await sql`update transfers set signature = null, status = 'signed', parked = null, changed_at = now()`.execute(
      signer,
    )
    await expect(sql`update transfers set recipient = '0x'`.execute(signer)).rejects.toMatchObject(
      refused,
    )
    await expect(sql`update payouts set memo = ''`.execute(signer)).rejects.toMatchObject(refused)
  },
)

verifies(
  'signer.public-rights',
  'no role has what Postgres gives to every role, beyond its own',
  async () => {
    expect(await readPublicRights(database.db)).toEqual([])
    const statements = [
      'create temporary table mine (id integer)',
      'select lo_create(0)',
      "select lo_from_bytea(0, '\\x00')",
      "select pg_logical_emit_message(false, 'p', 'text')",
    ]
    const locks = [
      "select pg_advisory_lock_shared(hashtextextended('switches', 0))",
      'select pg_advisory_lock(1, 2)',
      'select pg_try_advisory_xact_lock(1)',
    ]
    for (const role of ['reader', 'signer'] as const)
      for (const statement of [...statements, ...locks])
        await expect(sql.raw(statement).execute(as(role)), statement).rejects.toMatchObject(refused)
    for (const role of ['api', 'worker'] as const) {
      for (const statement of statements)
        await expect(sql.raw(statement).execute(as(role)), statement).rejects.toMatchObject(refused)
      await sql`select pg_advisory_xact_lock(1)`.execute(as(role))
    }
  },
)

verifies('signer.public-rights', 'no role connects to another database of the owner', async () => {
  for (const name of ['postgres', 'template1']) {
    const url = new URL(roleUrl(database.url, 'reader', passwords))
    url.pathname = `/${name}`
    const other = createDatabase({ url: url.href, applicationName: 'reader', poolSize: 1 })
    open.push(other)
    await expect(sql`select 1`.execute(other.db), name).rejects.toMatchObject(refused)
  }
})

verifies('signer.public-rights', 'one role cannot take the connections of the others', async () => {
  const { rows } = await sql<{ most: number; all: number }>`select rolconnlimit as most,
    current_setting('max_connections')::int as all from pg_roles where rolname like 'agent_rails_%'`.execute(
    database.db,
  )
  expect(rows).toHaveLength(databaseRoles.length)
  for (const { most, all } of rows) expect([most > 0, most < all]).toEqual([true, true])
  const url = roleUrl(database.url, 'reader', passwords)
  const held = Array.from({ length: 40 }, () => new pg.Client({ connectionString: url }))
  const made = await Promise.allSettled(held.map((client) => client.connect()))
  const full = made.filter(({ status }) => status === 'rejected')
  expect(full.length).toBeGreaterThan(0)
  await sql`select 1`.execute(as('api'))
  await Promise.allSettled(held.map((client) => client.end()))
})
