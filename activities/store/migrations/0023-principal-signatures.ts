import { type Kysely, sql } from 'kysely'

/**
 * The principal's signature stands with the payout that it authorizes, and a transfer begins only as its authorized payout and its
 * creator's call say. The canary has neither: its creator is the payout wallet, and its authority is the configuration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table payouts
    add column principal_signature text check (principal_signature ~ '^0x[0-9a-f]{130}$'),
    add column transfer_nonce text check (transfer_nonce ~ '^0x[0-9a-f]{64}$')`,
  `create or replace function payouts_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      if new.state <> 'created' then raise exception 'a payout begins as created' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.payout_id, old.creator, old.idempotency_key, old.recipient, old.amount_atomic, old.memo, old.rail_reference, old.usage, old.asset, old.payout_wallet, old.terms_sha256, old.created_at)
       is distinct from (new.payout_id, new.creator, new.idempotency_key, new.recipient, new.amount_atomic, new.memo, new.rail_reference, new.usage, new.asset, new.payout_wallet, new.terms_sha256, new.created_at)
    then raise exception 'the terms of a payout never change' using errcode = 'check_violation'; end if;
    if (old.state, new.state) not in (('created','created'), ('created','authorized'), ('authorized','authorized'), ('authorized','executed'), ('executed','executed'))
    then raise exception 'no such payout transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    if old.state <> 'created'
       and (old.authorized_at, old.expires_at, old.authorize_idempotency_key, old.authorize_fingerprint, old.mandate_ref, old.principal_signature, old.transfer_nonce)
       is distinct from (new.authorized_at, new.expires_at, new.authorize_idempotency_key, new.authorize_fingerprint, new.mandate_ref, new.principal_signature, new.transfer_nonce)
    then raise exception 'an authorization never changes' using errcode = 'check_violation'; end if;
    if old.state = 'created' and new.state = 'authorized'
       and (new.transfer_nonce is null or (new.principal_signature is null) <> (new.creator = new.payout_wallet))
    then raise exception 'an authorization carries the principal''s signature' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create function transfers_begin() returns trigger language plpgsql as $$
  declare payout payouts;
  begin
    select * into payout from payouts where payout_id = new.payout_id;
    if payout.state is distinct from 'authorized'
       or (new.recipient, new.amount_atomic, new.wallet, new.nonce, new.valid_after, new.valid_before)
       is distinct from (payout.recipient, payout.amount_atomic, payout.payout_wallet, payout.transfer_nonce, 0::bigint, payout.expires_at)
    then raise exception 'a transfer has the terms of its authorized payout' using errcode = 'check_violation'; end if;
    if new.status not in ('reserved', 'signed') or (new.status = 'signed' and payout.principal_signature is null)
       or num_nonnulls(new.from_block, new.transaction_hash, new.block_number, new.block_hash, new.block_time, new.exception) > 0
    then raise exception 'a transfer begins as reserved, or as signed for its principal' using errcode = 'check_violation'; end if;
    if not exists (select from calls where call_id = new.call_id and (operation, caller) =
      (case when payout.creator = payout.payout_wallet then 'canary' else 'payout-execute' end,
       case when payout.creator = payout.payout_wallet then 'service:canary' else 'wallet:' || payout.creator end))
    then raise exception 'a transfer is the effect of an execute by its creator' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger transfers_begin before insert on transfers for each row execute function transfers_begin()`,
]
