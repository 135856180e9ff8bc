import { type Kysely, sql } from 'kysely'

/**
 * Grants a new call on the free tier under the caller's lock, each query of it on what is committed by then; one statement, because four
 * that travel together cost caller and server four times as much. False, and nothing is written, where anything stands in its way.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(grantFree).execute(db)
}

const grantFree = `
  create function grant_free(a_call text, a_caller text, an_operation text, a_key text, a_fingerprint text, a_path text,
    a_wallet text, a_nonce text, a_body_sha256 text, a_holder text, lease_ms integer, an_input json,
    most integer, window_seconds integer) returns boolean language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended('caller:' || a_caller, 0));
    if exists (select from proof_nonces where wallet = a_wallet and nonce = a_nonce)
      or exists (select from payments where proof_wallet = a_wallet and credit = 'available')
      or exists (select from calls c join payments p using (payment_id)
        where c.caller = a_caller and c.answer_state = 'done' and p.state = 'failed')
      or (select count(*) from calls f where f.caller = a_caller and f.funding = 'free' and f.grant_state <> 'released'
        and f.granted_at > clock_timestamp() - window_seconds * interval '1 second') >= most
    then return false; end if;
    insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding,
      proof_nonce, path, body_sha256, lease_holder, lease_until, input)
    values (a_call, a_caller, an_operation, a_key, a_fingerprint, 'open', 'open', 'free',
      a_nonce, a_path, a_body_sha256, a_holder, clock_timestamp() + lease_ms * interval '1 millisecond', an_input)
    on conflict do nothing;
    if not found then return false; end if;
    insert into proof_nonces (wallet, nonce, path, body_sha256, call_id)
    values (a_wallet, a_nonce, a_path, a_body_sha256, a_call);
    return true;
  end $$`
