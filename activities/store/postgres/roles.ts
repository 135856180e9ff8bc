import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema/schema.ts'
import { transaction } from './db.ts'
import { withoutPublicRights } from './public-rights.ts'

/**
 * The users of the database: `worker` also reserves and signs, `signer` only signs, `reader` only reads.
 */
export const databaseRoles = ['api', 'worker', 'signer', 'reader'] as const
export type DatabaseRole = (typeof databaseRoles)[number]
type Privilege = 'select' | 'insert' | 'update' | 'delete'
type Privileges = readonly Privilege[]

export const roleName = (role: DatabaseRole): string => `agent_rails_${role}`

/** Privileges on every table that `guardedTables` does not name, including tables of later migrations. */
export const usualPrivileges: Readonly<Record<DatabaseRole, Privileges>> = {
  api: ['select', 'insert', 'update', 'delete'],
  worker: ['select', 'insert', 'update', 'delete'],
  signer: [],
  reader: ['select'],
}

/**
 * Tables with other privileges. A process that answers callers changes no payout and no transfer. It sets switches
 * and retires keys only through functions with the rights of their owner.
 */
export const guardedTables: Readonly<Record<string, Partial<Record<DatabaseRole, Privileges>>>> = {
  schema_version: { api: ['select'], worker: ['select'], signer: ['select'] },
  payouts: { api: ['select'], signer: ['select'] },
  transfers: { api: ['select'], signer: ['select'] },
  receipts: { api: ['select', 'insert'], signer: ['select'] },
  confirmed_totals: { api: ['select'], signer: ['select'] },
  replay_ledger: { api: ['select', 'insert'] },
  controls: { api: ['select'], worker: ['select'] },
  control_changes: { api: ['select'], worker: ['select'] },
  signing_keys: { api: ['select'], worker: ['select'] },
  key_rotations: { api: ['select', 'insert'], worker: ['select', 'update'] },
  operators: { api: ['select'], worker: ['select', 'insert'] },
  review_decisions: { api: ['select', 'insert'], worker: ['select'] },
  operator_sessions: { api: ['select', 'insert', 'update', 'delete'], worker: [] },
  gas_wallets: { api: ['select'] },
  gas_wallet_transactions: { api: ['select'] },
  receipt_passports: { api: ['select', 'insert'], worker: ['select'] },
  proof_inboxes: { api: ['select', 'insert', 'update'], worker: ['select'] },
  proofs: { api: ['select', 'insert'], worker: ['select'] },
  handoff_packs: { api: ['select', 'insert'], worker: ['select'] },
  agent_passports: { api: ['select', 'insert', 'update'], worker: ['select'] },
  commerce_proofs: { api: ['select', 'insert', 'update'], worker: ['select', 'insert', 'update'] },
  prospects: { api: ['select', 'insert'], worker: ['select'] },
  prospect_events: { api: ['select', 'insert'], worker: ['select'] },
  sprint_summaries: { api: ['select', 'insert'], worker: ['select'] },
  paid_next_steps: { api: ['select', 'insert'], worker: ['select'] },
  // The worker runs delegated calls: it inserts what they begin, here and below.
  trust_listings: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  trust_badge_events: { api: ['select', 'insert'], worker: ['select'] },
  commerce_consents: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  statements: { api: ['select'] },
  reconciliations: { api: ['select'] },
  reconciliation_suspects: { api: ['select'] },
  ap2_mandates: { api: ['select', 'insert', 'update'], worker: ['select', 'update'] },
  mandates: { api: ['select', 'insert'], worker: ['select'] },
  ap2_payments: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  authority_decisions: { api: ['select', 'insert'], worker: ['select'] },
  log_outbox: { api: ['select'], worker: ['select', 'delete'] },
  log_leaves: { api: ['select'], worker: ['select', 'insert'] },
  log_tiles: { api: ['select'], worker: ['select', 'insert'] },
  log_checkpoints: { api: ['select'], worker: ['select', 'insert'] },
  log_cosignatures: { api: ['select'], worker: ['select', 'insert'] },
  services: { api: ['select', 'insert', 'update', 'delete'], worker: ['select'] },
  agent_profiles: { api: ['select', 'insert', 'update'], worker: ['select'] },
  model_budgets: { api: ['select'], worker: ['select', 'insert', 'update'] },
  model_calls: { api: ['select', 'insert'], worker: ['select', 'insert', 'update'] },
  run_drafts: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  production_writes: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  customer_runs: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  activations: { api: ['select', 'insert'], worker: ['select'] },
  exchange_claims: { api: ['select', 'insert'], worker: ['select'] },
  clearings: { api: ['select', 'insert'], worker: ['select'] },
  proof_loops: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  customer_workflows: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  workflow_firings: { api: ['select'], worker: ['select', 'insert'] },
  pilot_activations: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  first_paid_runs: { api: ['select', 'insert'], worker: ['select', 'insert', 'update'] },
  harness_runs: { api: ['select', 'insert', 'delete'], worker: ['select', 'update'] },
  harness_facts: { api: [], worker: ['select', 'insert'] },
  harness_steps: { api: ['select'], worker: ['select', 'insert'] },
  regression_reports: { api: ['select', 'insert'], worker: ['select'] },
  agent_identities: { api: ['select', 'insert'], worker: ['select'] },
  directory_submissions: { api: ['select', 'insert', 'update'], worker: ['select', 'update'] },
  pilots: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  pilot_entries: { api: ['select', 'insert'], worker: ['select'] },
  pilot_trials: { api: ['select', 'insert'], worker: ['select'] },
  pilot_runs: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  evidence_analyses: { api: ['select', 'insert'], worker: ['select'] },
  proof_relays: { api: ['select', 'insert'], worker: ['select'] },
  analysis_calls: { api: ['select', 'insert', 'delete'], worker: ['select'] },
  account_controls: { api: ['select', 'insert'], worker: ['select'] },
  account_control_changes: { api: ['select', 'insert'], worker: ['select'] },
  account_wallets: { api: ['select', 'insert'], worker: ['select'] },
  fee_events: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  account_spends: { api: ['select', 'insert'], worker: ['select', 'insert'] },
  late_wakes: { api: ['select'] },
  kysely_migration: { api: ['select'], worker: ['select'] },
  kysely_migration_lock: { api: ['select'], worker: ['select'] },
}

const spent = ['rail', 'usd', 'units', 'spent_at']
const endOfClaim = ['state', 'ended_at', 'reason']
const delivered = ['delivered_at', 'delivery', 'delivery_sha256', 'checks', 'receipt_id']
/** Columns that a role may update in a table that it may not update as a whole. */
const guardedColumns: Readonly<Record<string, Partial<Record<DatabaseRole, readonly string[]>>>> = {
  analysis_calls: { api: ['calls'] },
  account_controls: {
    api: [
      'allowed_rails',
      'per_run_usd_max',
      'per_day_usd_max',
      'review_all',
      'callback_hosts',
      'paused',
      'credential_max_age_days',
      'set_by',
      'receipt_id',
      'set_at',
    ],
  },
  account_spends: { api: spent, worker: spent },
  clearings: { api: ['review_state', 'review_decision_id', 'reviewed_at'] },
  fee_events: {
    api: ['wallet_id', 'amount_usd', 'state', 'receipt_id', 'changed_at'],
    worker: ['wallet_id', 'amount_usd', 'state', 'receipt_id', 'changed_at'],
  },
  // Postgres lets a process lock what it may change; the worker alone revokes nothing, since a revocation names who did it.
  mandates: { api: ['revoked_at', 'revoked_by', 'revoke_reason'], worker: ['revoked_at'] },
  key_rotations: { api: ['revoke_old', 'activate_at', 'retire_at'] },
  pilots: {
    api: [
      'client',
      'workflow_description',
      'desired_start',
      'agent_id',
      'work_order_id',
      'challenge_id',
      'state',
      'state_since',
      'waiting_since',
      'decision_id',
    ],
    worker: ['agent_id', 'state', 'state_since', 'waiting_since', 'reminded_at'],
  },
  prospects: { api: ['state', 'state_since', 'agent_id', 'customer_account'] },
  trust_listings: {
    api: [
      'review_state',
      'review_decision_id',
      'reviewed_at',
      'trust_badge_state',
      'quote_id',
      'commercial_plan_id',
      'fee_event_id',
      'active_until',
    ],
  },
  customer_workflows: {
    api: ['state', 'state_since', 'decision_id', 'credential_id', 'accepted_terms', 'terms_sha256'],
    worker: ['scheduled'],
  },
  workflow_firings: {
    api: ['mandate_id', 'charged_usd'],
    worker: [
      'mandate_id',
      'charged_usd',
      'state',
      'quote_id',
      'run_id',
      'work_order_id',
      'code',
      'detail',
      'ended_at',
    ],
  },
  exchange_claims: {
    api: [...endOfClaim, ...delivered],
    worker: [...endOfClaim, ...delivered],
  },
  proof_loops: { api: ['due_at'], worker: ['due_at', 'proof_id'] },
  transfers: { signer: ['signature', 'status', 'parked', 'changed_at'] },
}

/** The only roles that may call functions with their owner's rights and take advisory locks. */
const callers: readonly DatabaseRole[] = ['api', 'worker']

/**
 * Grants every role exactly what is declared here, on existing tables and on those of later migrations. Roles that
 * the setup step did not create get nothing. Runs after every migration.
 */
export async function grantPrivileges(db: Kysely<Database>): Promise<void> {
  await transaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('grants', 0))`.execute(tx)
    const names = databaseRoles.map(roleName)
    const { rows } = await sql<{
      rolname: string
    }>`select rolname from pg_roles where rolname = any(${names})`.execute(tx)
    const made = databaseRoles.filter((role) =>
      rows.some(({ rolname }) => rolname === roleName(role)),
    )
    if (made.length === 0) return
    const lockers = made.filter((role) => callers.includes(role))
    const statements = [
      ...ownFunctions,
      withoutPublicRights(made.map(roleName), lockers.map(roleName)),
      ...made.flatMap(grantsOf),
    ]
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
}

const ownFunctions = [
  'revoke execute on all functions in schema public from public',
  'alter default privileges in schema public revoke execute on functions from public',
]

function grantsOf(role: DatabaseRole): string[] {
  const name = roleName(role)
  const usual = usualPrivileges[role].join(', ')
  const functions = callers.includes(role)
    ? [
        `grant execute on all functions in schema public to ${name}`,
        `alter default privileges in schema public grant execute on functions to ${name}`,
      ]
    : []
  const tables =
    usual === ''
      ? []
      : [
          `grant ${usual} on all tables in schema public to ${name}`,
          `alter default privileges in schema public grant ${usual} on tables to ${name}`,
        ]
  return [
    `grant usage on schema public to ${name}`,
    `revoke all on all tables in schema public from ${name}`,
    ...functions,
    ...tables,
    ...Object.entries(guardedTables).flatMap(([table, guarded]) =>
      privilegesOn(table, name, guarded[role]),
    ),
    ...Object.entries(guardedColumns).flatMap(([table, columns]) =>
      (columns[role] ?? []).map((column) => `grant update (${column}) on ${table} to ${name}`),
    ),
  ]
}

function privilegesOn(table: string, name: string, privileges: Privileges | undefined): string[] {
  if (privileges === undefined) return []
  return [
    `revoke all on ${table} from ${name}`,
    ...(privileges.length === 0 ? [] : [`grant ${privileges.join(', ')} on ${table} to ${name}`]),
  ]
}
