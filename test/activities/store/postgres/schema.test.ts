import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { createRoles } from '../../../../activities/store/postgres/create-roles.ts'
import { createDatabase, type OpenDatabase } from '../../../../activities/store/postgres/db.ts'
import { migrateToLatest } from '../../../../activities/store/postgres/migrate.ts'
import { checkSchemaAge } from '../../../../activities/store/postgres/schema-age.ts'
import { readCatalogue } from '../../../support/catalogue.ts'
import { startPostgres } from '../../../support/postgres.ts'
import { tableTypes } from '../../../support/table-types.ts'
import { verifies } from '../../../verifies.ts'

/** The catalogue that the migrations made before they were squashed. */
const recorded = gunzipSync(
  readFileSync(join(import.meta.dirname, 'schema-before-squash.txt.gz')),
).toString()

const typedTables = join(import.meta.dirname, '../../../../activities/store/schema/schema.ts')

/** Names that changed in the squash. */
const renamed: readonly (readonly [RegExp, string])[] = [
  [/\blane_transactions/g, 'gas_wallet_transactions'],
  // A run whose gaps are waived is reviewed before its package is made.
  [
    /-- A waived gap: the package is made of what there is\. elsif new\.step = 'return_package'/,
    "-- A waived gap: the work continues with what there is. elsif new.step = 'revision_loop'",
  ],
  // Gaps that a task waits with are an exception that stops nothing.
  [/(task_exceptions\.7 resume_state text) not null/, '$1'],
  [/(INDEX task_exceptions_open .* btree \(task_id)\)/, '$1, ((resume_state IS NULL)))'],
  [/\blane_(by_nonce|by_purpose|open)\b/g, 'gas_wallet_transactions_$1'],
  [/\bmoney_append_only\b/g, 'append_only'],
  // Sums of an account are read from its index alone.
  [/(INDEX postings_account .*posting_id\))/, '$1 INCLUDE (units)'],
  // Operators also pause rails and agents.
  [/(control_changes_scope_check .*'payout'::text)/, "$1, 'rail'::text, 'agent'::text"],
]

/** What guards check since the squash, after the text that the pattern names. */
const guarded: readonly (readonly [RegExp, string])[] = [
  [
    /no such trust transition: % to %', old\.trust_state, new\.trust_state using errcode = 'check_violation'; end if; /,
    "if old.limits::text is distinct from new.limits::text and old.decision_id is not distinct from new.decision_id and (new.trust_state <> 'trusted' or old.limits_receipt_id is not distinct from new.limits_receipt_id) then raise exception 'limits change by a decision, or while the agent is trusted and with a receipt' using errcode = 'check_violation'; end if; ",
  ],
  [
    /\.task_exceptions_guard\(\) RETURNS trigger LANGUAGE plpgsql AS \$function\$ begin /,
    "if old.state = new.state and old.closed_at is null and new.closed_at is null then if to_jsonb(new) - array['proposed_input_sha256','proposal_note','declined'] <> to_jsonb(old) - array['proposed_input_sha256','proposal_note','declined'] or not exists (select from task_events e join tasks t using (task_id) where e.task_id = new.task_id and e.sequence = t.sequence + 1 and ((e.event = 'input_proposed' and e.data->>'proposed_input_sha256' = new.proposed_input_sha256) or (e.event = 'input_declined' and new.proposed_input_sha256 is null and e.data->>'declined_input_sha256' = old.proposed_input_sha256))) then raise exception 'a proposal changes by an entry of the ledger' using errcode = 'check_violation'; end if; return new; end if; ",
  ],
  [
    /\('replay_ready','resolved'\)\) /,
    "and not (old.resume_state is null and old.closed_at is null and new.state = 'resolved') ",
  ],
  [
    /when 'quote_lapsed' then 'trusted' when 'credit_lapsed' then 'quoted' /,
    "when 'input_proposed' then old.resume_state when 'input_declined' then old.resume_state ",
  ],
  [
    /an authorization carries the principal''s signature' using errcode = 'check_violation'; end if; /,
    "if old.state = 'created' and new.state = 'authorized' and payout_mandate_revoked(new.payout_id) then raise exception 'the mandate of the payout is revoked' using errcode = 'check_violation'; end if; ",
  ],
  [
    /a transfer begins as reserved, or as signed for its principal' using errcode = 'check_violation'; end if; /,
    "if payout_mandate_revoked(new.payout_id) then raise exception 'the mandate of the payout is revoked' using errcode = 'check_violation'; end if; ",
  ],
]

/** Lines of what was added since the squash. */
const added = [
  'column loop_steps.11 tries integer not null default 1 identity  storage p',
  'constraint loop_steps.loop_steps_tries_check CHECK ((tries > 0))',
  'constraint loop_steps.loop_steps_tries_not_null NOT NULL tries',
  'column operator_sessions.1 session_sha256 text not null default  identity  storage x',
  'column operator_sessions.2 operator_id text not null default  identity  storage x',
  'column operator_sessions.3 operator_name text not null default  identity  storage x',
  'column operator_sessions.4 created_at timestamp with time zone not null default clock_timestamp() identity  storage p',
  'column operator_sessions.5 expires_at timestamp with time zone not null default  identity  storage p',
  'column operator_sessions.6 ended_at timestamp with time zone default  identity  storage p',
  'constraint operator_sessions.operator_sessions_check CHECK ((expires_at > created_at))',
  'constraint operator_sessions.operator_sessions_created_at_not_null NOT NULL created_at',
  'constraint operator_sessions.operator_sessions_expires_at_not_null NOT NULL expires_at',
  'constraint operator_sessions.operator_sessions_operator_id_not_null NOT NULL operator_id',
  'constraint operator_sessions.operator_sessions_operator_name_not_null NOT NULL operator_name',
  'constraint operator_sessions.operator_sessions_pkey PRIMARY KEY (session_sha256)',
  "constraint operator_sessions.operator_sessions_session_sha256_check CHECK ((session_sha256 ~ '^[0-9a-f]{64}$'::text))",
  'constraint operator_sessions.operator_sessions_session_sha256_not_null NOT NULL session_sha256',
  'grant on operator_sessions: agent_rails_api DELETE, agent_rails_api INSERT, agent_rails_api SELECT, agent_rails_api UPDATE, agent_rails_reader SELECT, postgres DELETE, postgres INSERT, postgres MAINTAIN, postgres REFERENCES, postgres SELECT, postgres TRIGGER, postgres TRUNCATE, postgres UPDATE',
  'index CREATE INDEX operator_sessions_operator ON public.operator_sessions USING btree (operator_id, created_at)',
  'index CREATE UNIQUE INDEX operator_sessions_pkey ON public.operator_sessions USING btree (session_sha256)',
  'relation operator_sessions r p',
  'column task_exceptions.12 proposed_input_sha256 text default  identity  storage x',
  'constraint task_exceptions.task_exceptions_task_id_proposed_input_sha256_fkey FOREIGN KEY (task_id, proposed_input_sha256) REFERENCES task_documents(task_id, sha256)',
  'column payment_references.22 reason_code text default  identity  storage x',
  "constraint payment_references.payment_references_reason_code_check CHECK ((reason_code = 'amount_mismatch'::text))",
  'column review_decisions.14 evidence_root_sha256 text not null default  identity  storage x',
  'column review_decisions.15 judgements json not null default  identity  storage x',
  "constraint review_decisions.review_decisions_evidence_root_sha256_check CHECK ((evidence_root_sha256 ~ '^[0-9a-f]{64}$'::text))",
  'constraint review_decisions.review_decisions_evidence_root_sha256_not_null NOT NULL evidence_root_sha256',
  'constraint review_decisions.review_decisions_judgements_not_null NOT NULL judgements',
  'column agents.22 limits_receipt_id text default  identity  storage x',
  'constraint agents.agents_limits_receipt_id_fkey FOREIGN KEY (limits_receipt_id) REFERENCES receipts(receipt_id)',
  'column task_exceptions.13 proposal_note text default  identity  storage x',
  "column task_documents.5 kind text not null default 'document'::text identity  storage x",
  "constraint task_documents.task_documents_kind_check CHECK ((kind = ANY (ARRAY['document'::text, 'extraction'::text])))",
  'constraint task_documents.task_documents_kind_not_null NOT NULL kind',
  'column task_exceptions.14 declined json default  identity  storage x',
  "index CREATE INDEX loop_steps_in_review ON public.loop_steps USING btree (started_at) WHERE ((step = 'review_step'::text) AND (verdict IS NULL))",
  "index CREATE INDEX payment_references_waiting ON public.payment_references USING btree (created_at) WHERE (state = ANY (ARRAY['presented'::text, 'pending'::text]))",
  "index CREATE INDEX recovery_requests_waiting ON public.recovery_requests USING btree (requested_at) WHERE (state = 'requested'::text)",
  'task transition exception_open input_declined exception_open',
  "constraint task_exceptions.task_exceptions_check1 CHECK (((resume_state IS NOT NULL) OR (code = ANY (ARRAY['evidence_gap'::text, 'caller_dispute'::text]))))",
  'task transition exception_open input_proposed exception_open',
]

/** The rule of the free tier is no function of the database since the squash, and gaps have no state to resume. */
const removed = /^(grant on )?function .*\bgrant_free\b|task_exceptions_resume_state_not_null/

let postgres: Awaited<ReturnType<typeof startPostgres>>
const opened: OpenDatabase[] = []

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  for (const { close } of opened) await close()
  await postgres?.stop()
})

async function newDatabase(name: string): Promise<OpenDatabase & { url: string }> {
  await sql.raw(`create database ${name}`).execute(openAt(postgres.url).db)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return { ...openAt(url.href), url: url.href }
}

function openAt(url: string): OpenDatabase {
  const open = createDatabase({ url, applicationName: 'test', poolSize: 1 })
  opened.push(open)
  return open
}

async function olderDatabase(name: string): Promise<OpenDatabase & { url: string }> {
  const older = await newDatabase(name)
  await sql`create table kysely_migration (name text primary key, timestamp text)`.execute(older.db)
  await sql`create table calls (call_id text primary key)`.execute(older.db)
  await sql`insert into kysely_migration values ('0001-payout-rail', 'then')`.execute(older.db)
  return older
}

/** Every relation of ours with its rows. */
async function contentOf({ db }: OpenDatabase): Promise<unknown> {
  const { rows } = await sql`
    select relname, query_to_xml(format('select * from %I', relname), true, false, '')::text as content
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`.execute(
    db,
  )
  return rows
}

/** Lines about the tables of later migrations, each with its triggers and functions, and about signing keys, which rotations changed. */
const later = new RegExp(
  `\\b(${[
    'authority_(drafts|mandates|decisions|totals)|action_grants|delegated_actions',
    'ap2_(mandates|payments)',
    'mandates(_\\w+)?\\b|grant on function payout_mandate_revoked|[.]payout_mandate_revoked[(]',
    'receipt_passports|proof_inboxes|proofs|handoff_packs|trust_append_only',
    'log_(outbox|leaves|tiles|checkpoints|cosignatures)|queue_receipt|keep_log',
    'upload_(checks|readings)|agent_inputs_media_type_check',
    'prospects?(_(events|paid_runs|now|guard|append_only))?|sprint_summaries|paid_next_steps|next_steps_now',
    'trust_(listings|badge_events)(_guard|_shown)?',
    'commerce_(proofs|consents|activity|moves_no_money)',
    'services|agent_profiles|agents_published',
    'model_(budgets|calls)|run_drafts|evidence_analyses|analysis_calls|proof_relays',
    'harness_(runs|facts|steps|append_only)|regression_reports',
    'directory_submissions|agent_identities',
    'pilots(_(now|paid_guard))?|pilot_(entries|runs|trials|paid_runs)',
    'production_(writes|runs)|customer_account_guard|first_paid_runs|customer_runs|activations|clearings',
    'settled_at',
    'runs_at_step|constraint runs[.]runs_check|log_entry|proof_loops|pilot_activations',
    'fee_events(_\\w+)?|wallet_tier_limits|allowance_wallets_tier_\\w+|column allowance_wallets[.](9|10)',
    'account_(controls|control_changes|wallets|spends|fees)(_\\w+)?|account_append_only|control_fees_guard',
    'customer_workflows|workflow_firings|agent_passports',
    'tasks_(begun|newest|sandbox|paid_of_agent|entitlement)|agent_signing_versions_key_id_key|contracts_accepted|work_orders_(open|agent)|credential_audits_decision|payment_challenges_bound|entitlements_of_wallets',
    'is_only_checked|agents_key(_sha256_key)?\\b|agent_signing_versions_guard',
    'exchange_claims|work_orders_exchange|exchange_until|reward_note',
    'signing_keys?(_kid|_public|_current)?|key_rotations?|keep_(key_rotation|signing_key)|signing_standing',
    '(register|activate|retire|revoke)_signing_key|signing_key_kept|key_rotation_kept',
    'column provider_events[.]15|provider_events_unnamed|payment_references_(reason_code_check|external|session|top_up|names)',
    'account_balances_(account|units)_check|postings_account_check|public[.]postings_(balance|movement)[(]|wallet_debts|withheld_credit|provider_events_refused',
    'calls_nonce|CREATE INDEX (payments|payment_references)_payer|payment_references_agent',
  ].join('|')})`,
)

verifies('store.migrations', 'the squashed migrations make the recorded schema', async () => {
  const fresh = await newDatabase('fresh')
  const passwords = { api: 'a', worker: 'w', signer: 's', reader: 'r' }
  await createRoles(postgres.url, passwords)
  await migrateToLatest(fresh.db)
  const expected = renamed
    .concat(guarded.map(([after, added]) => [after, `$&${added}`]))
    .reduce((text, [from, to]) => text.replace(from, to), recorded)
    .trimEnd()
    .split('\n')
    .concat(added)
  const kept = expected.filter((line) => !removed.test(line) && !later.test(line)).sort()
  const made = (await readCatalogue(fresh.db)).filter((line) => !later.test(line))
  expect(made).toEqual(kept)
})

verifies('store.migrations', 'the typed tables are those of the migrated database', async () => {
  const migrated = await newDatabase('typed')
  await migrateToLatest(migrated.db)
  const made = await tableTypes(migrated.db)
  if (process.env['WRITE_TYPES'] !== undefined) writeFileSync(typedTables, made)
  // `npm run store:types` writes the file.
  expect(readFileSync(typedTables, 'utf8')).toBe(made)
})

verifies('store.migrations', 'the migrations stop at an older schema', async () => {
  const older = await olderDatabase('older')
  const before = await contentOf(older)
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.stubEnv('DATABASE_URL', older.url)
  await import('../../../../worker/migrate.ts')
  const [lines, code] = [printed.mock.calls.map(([line]) => String(line)), process.exitCode]
  process.exitCode = 0
  printed.mockRestore()
  vi.unstubAllEnvs()
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(
      /^The database has an older schema .*`npx agent-rails database export \S+`.*`npx agent-rails database start-fresh`\.$/,
    ),
  ])
  expect(await contentOf(older)).toEqual(before)
})

verifies('store.migrations', 'a process does not start on an older schema', async () => {
  const older = await olderDatabase('older_start')
  const current = await newDatabase('current_start')
  await checkSchemaAge(current.url)
  await migrateToLatest(current.db)
  await checkSchemaAge(current.url)
  await expect(checkSchemaAge(older.url)).rejects.toThrow('database start-fresh')
  await checkSchemaAge('postgres://unknown@127.0.0.1:1/none')
})
