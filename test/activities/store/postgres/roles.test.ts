import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { receiptId } from '#domain/core/ids.ts'
import { hastenRotation } from '../../../../activities/store/keys/key-rotations.ts'
import { writeControl } from '../../../../activities/store/operators/controls.ts'
import { createRoles, roleUrl } from '../../../../activities/store/postgres/create-roles.ts'
import {
  createDatabase,
  type OpenDatabase,
  transaction,
} from '../../../../activities/store/postgres/db.ts'
import { readPublicRights } from '../../../../activities/store/postgres/public-rights.ts'
import {
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
const passwords = { api: 'a', worker: 'w/&?', signer: 's', reader: 'r' }

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
  ['signer.roles', 'stolen.role-api'],
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

verifies('signer.roles', 'only the API’s role sets a control, by its function', async () => {
  const api = as('api')
  const receipt_id = receiptId('j')
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

verifies('stolen.role-worker', 'the worker’s role writes no session, pause or key', async () => {
  const worker = as('worker')
  for (const statement of [
    'select from operator_sessions',
    'insert into operator_sessions default values',
    'update controls set paused = false',
    'insert into controls default values',
    'insert into control_changes default values',
    'update signing_keys set revoked_at = null',
    'insert into authority_decisions default values',
    'update operators set revoked_at = null',
    'insert into proofs default values',
    'delete from log_leaves',
    'update log_checkpoints set size = 0',
    'set session_replication_role = replica',
    'alter table payouts disable trigger all',
    'set role agent_rails_api',
  ])
    await expect(sql.raw(statement).execute(worker), statement).rejects.toMatchObject(refused)
})

verifies(
  'stolen.role-worker',
  'the worker’s role names no operator but for a recovery',
  async () => {
    const worker = as('worker')
    const { rows } = await sql<{ named: string; held: boolean }>`
    select table_name || '.' || column_name as named, exists (select from pg_trigger
      where tgrelid = format('%I', table_name)::regclass and tgname = table_name || '_' || column_name || '_act') as held
    from information_schema.columns where table_schema = 'public' and data_type = 'text'
      and column_name ~ '^(actor|caller|.*_by|operator|operator_id)$'
      and (has_column_privilege('agent_rails_worker', format('%I', table_name)::regclass, column_name, 'insert')
        or has_column_privilege('agent_rails_worker', format('%I', table_name)::regclass, column_name, 'update'))
    order by 1`.execute(database.db)
    // A reconciliation opens an exception. The command line makes the first operators, and recovers tasks for them.
    const others = [
      'exceptions.opened_by',
      'operators.operator_id',
      'recovery_requests.decided_by',
      'recovery_requests.requested_by',
      'task_events.actor',
    ]
    const free = rows.filter(({ held }) => !held).map(({ named }) => named)
    expect(free).toEqual(others)
    for (const { named, held } of rows) {
      const [table = '', column = ''] = named.split('.')
      const statement = `insert into ${table} (${column}) values ('operator:op_1')`
      if (held)
        await expect(sql.raw(statement).execute(worker), statement).rejects.toThrow(
          /an operator acts through the API|permission denied/,
        )
    }
    await expect(
      sql`insert into review_decisions default values`.execute(worker),
    ).rejects.toMatchObject(refused)
  },
)

verifies(
  ['signer.roles', 'stolen.role-reader', 'stolen.role-signer'],
  'the reader only reads; the signer sees three tables and signs',
  async () => {
    const [reader, signer] = [as('reader'), as('signer')]
    for (const statement of [
      'delete from calls',
      'select from payouts for share',
      'select from tasks for update',
      'insert into receipts default values',
      'lock table payouts in share mode',
    ])
      await expect(
        transaction(reader, (tx) => sql.raw(statement).execute(tx)),
        statement,
      ).rejects.toMatchObject(refused)
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
