import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { hastenRotation } from '../../../../activities/store/keys/key-rotations.ts'
import { writeControl } from '../../../../activities/store/payouts/controls.ts'
import { createRoles, roleUrl } from '../../../../activities/store/postgres/create-roles.ts'
import { createDatabase, type OpenDatabase } from '../../../../activities/store/postgres/db.ts'
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
