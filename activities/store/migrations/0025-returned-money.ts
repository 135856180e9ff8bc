import { type Kysely, sql } from 'kysely'

/**
 * Money that goes back: what a provider says of refunds and disputes, references under dispute, and every signature and window of a
 * payment nonce, so that `failed` waits for the last of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const moves = [
  'presented pending',
  'presented rejected',
  'presented expired',
  'pending verified',
  'pending rejected',
  'pending expired',
  'verified disputed',
  'disputed verified',
  'verified refunded',
  'disputed refunded',
]
const fixed = [
  'payment_reference_id',
  'agent_id',
  'method',
  'external_reference',
  'amount_usd',
  'challenge_id',
  'entitlement_id',
  'wallet_id',
  'payer',
  'created_at',
]
const row = (of: string) => `(${fixed.map((column) => `${of}.${column}`).join(', ')})`
const once = ['settlement_receipt_id', 'provider']
  .map((column) => `(old.${column} is not null and new.${column} is distinct from old.${column})`)
  .join(' or ')

const statements = [
  `alter table provider_events
    drop constraint provider_events_type_check,
    add constraint provider_events_type_check check (type in ('payment.settled','payment.failed','payment.refunded','session.expired',
      'payment.partially_refunded','dispute.inquiry','dispute.opened','dispute.won','dispute.lost')),
    add column payment_intent text,
    add column dispute_id text,
    add column said_at timestamptz,
    add check (dispute_id is null or type like 'dispute.%')`,
  `create index provider_events_intent on provider_events (provider, payment_intent) where payment_intent is not null`,
  `create index provider_events_unmatched on provider_events (received_at) where outcome = 'unmatched'`,

  // The first provider that speaks of a reference, or the one it was presented with, is the only one that is believed of it.
  `alter table payment_references add column provider text`,
  `alter table payment_references drop constraint payment_references_state_check,
    add constraint payment_references_state_check
      check (state in ('presented','pending','verified','disputed','rejected','expired','refunded'))`,
  `do $$
  declare settled text;
  begin
    select conname into strict settled from pg_constraint
      where conrelid = 'payment_references'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%settlement_receipt_id%';
    execute format('alter table payment_references drop constraint %I', settled);
  end $$`,
  `alter table payment_references add constraint payment_references_settled
    check ((state in ('verified','disputed','refunded')) = (settlement_receipt_id is not null and decided_by is not null))`,
  `create index payment_references_disputed on payment_references (wallet_id) where state = 'disputed'`,
  `create or replace function payment_references_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then raise exception 'a row of payment_references is never deleted' using errcode = 'check_violation'; end if;
    if tg_op = 'INSERT' then
      if new.state <> 'presented' then raise exception 'a row of payment_references begins as presented' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if row${row('old')} is distinct from row${row('new')} or ${once}
    then raise exception 'what a row of payment_references says never changes' using errcode = 'check_violation'; end if;
    if old.state <> new.state and (old.state || ' ' || new.state) not in (${moves.map((move) => `'${move}'`).join(', ')})
    then raise exception 'no such move of payment_references: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    return new;
  end $$`,

  // Whoever saw one of these signatures may broadcast it for as long as its window is open.
  `create table payment_signatures (
    payment_id text not null check (payment_id ~ '^[0-9a-f]{64}$'),
    signature text not null,
    valid_after numeric(78,0) not null,
    valid_before numeric(78,0) not null,
    amount_atomic numeric(78,0) not null,
    pay_to text not null,
    verified_at timestamptz not null default clock_timestamp(),
    primary key (payment_id, signature)
  )`,
  `create function payment_signatures_guard() returns trigger language plpgsql as $$
  begin raise exception 'a verified signature stays as it was seen' using errcode = 'check_violation'; end $$`,
  `create trigger payment_signatures_guard before update or delete on payment_signatures for each row execute function payment_signatures_guard()`,
  // When an answer that was paid for left for its caller; a charge whose answer never did becomes a credit.
  `alter table calls add column delivered_at timestamptz`,
  `create index calls_undelivered on calls (caller, granted_at)
    where funding = 'payment' and answer_state = 'final' and subject = call_id and delivered_at is null`,
]
