import { type Kysely, sql } from 'kysely'

/**
 * Quotes belong to one caller: to the agent that asked with its key, or to the first that presents the quote's token. What is free
 * has a quote and an entitlement of nothing. An agent names the call that registered it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table quotes drop column caller,
    add column bound_to text,
    add column token_sha256 text unique check (token_sha256 ~ '^[0-9a-f]{64}$'),
    add constraint quotes_owner check (bound_to is not null or token_sha256 is not null)`,
  `create index quotes_same on quotes (bound_to, rail, tier, units, issued_at desc)`,
  `drop trigger quotes_append_only on quotes`,
  `create function quotes_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' or old.bound_to is not null or new.bound_to is null
      or to_jsonb(new) - 'bound_to' <> to_jsonb(old) - 'bound_to'
    then raise exception 'a quote is bound once and never changes' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger quotes_guard before update or delete on quotes for each row execute function quotes_guard()`,

  `create function entitlements_owner() returns trigger language plpgsql as $$
  begin
    if new.agent_id is distinct from (select bound_to from quotes where quote_id = new.quote_id)
    then raise exception 'credit belongs to whom its quote is bound to' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger entitlements_owner before insert on entitlements for each row execute function entitlements_owner()`,

  `alter table quotes drop constraint quotes_base_usd_check, add constraint quotes_base_usd_check check (base_usd >= 0)`,
  `alter table entitlements drop constraint entitlements_granted_units_check, drop constraint entitlements_check5,
    add constraint entitlements_granted_units_check check (granted_units >= 0),
    add constraint entitlements_spent check (granted_units = 0
      or (state in ('consumed','returned')) = (consumed_units + returned_units = granted_units))`,
  `alter table task_credits drop constraint task_credits_units_check, add constraint task_credits_units_check check (units >= 0)`,
  // Use of what is free has its receipt too, of no credit.
  `alter table usage_events drop constraint usage_events_check,
    add constraint usage_events_receipt check (credit_units = 0 or usage_receipt_id is not null)`,

  `alter table agents add column registration_call text unique`,
]
