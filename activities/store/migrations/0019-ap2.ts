import { refusal } from './columns.ts'
import { guardMandates } from './guards.ts'

/** Open payment mandates of AP2, and the payments that were made under them. */
export const ap2: readonly string[] = [
  `create table ap2_mandates (
    mandate_key text primary key check (mandate_key ~ '^[0-9a-f]{64}$'),
    mandate_id text unique check (mandate_id ~ '^mdt_[0-9a-f]{64}$'),
    agent_id text references agents,
    issuer text not null,
    document json,
    currency text check (currency ~ '^[A-Z]{3}$'),
    budget_minor bigint check (budget_minor >= 0),
    uses_max integer check (uses_max >= 0),
    expires_at timestamptz,
    issued_by text,
    known_since timestamptz not null default clock_timestamp(),
    revoked_at timestamptz,
    revoked_by text,
    revoke_reason text,
    check ((budget_minor is null) = (currency is null)),
    check ((mandate_id is null) = (document is null) and (mandate_id is null) = (issued_by is null)),
    check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revoke_reason is null))
  )`,
  `create index ap2_mandates_known on ap2_mandates (known_since)`,
  `create table ap2_payments (
    payment_reference_id text primary key references payment_references,
    mandate_key text not null references ap2_mandates,
    nonce text not null unique,
    closed_hash text not null,
    transaction_id text not null,
    amount_minor bigint not null check (amount_minor > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    instrument_type text not null,
    instrument_id text not null,
    paid_at timestamptz not null default clock_timestamp()
  )`,
  `create index ap2_payments_mandate on ap2_payments (mandate_key)`,
  ...guardMandates('ap2_mandates'),
  // A payment that brought nothing is given back to the budget.
  `create function ap2_payments_guard() returns trigger language plpgsql as $$
  declare
    mandate ap2_mandates;
    spent bigint;
    uses integer;
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'what was paid under a mandate stays as it was written')}
    select * into mandate from ap2_mandates m where m.mandate_key = new.mandate_key for update;
    ${refusal(
      `mandate.revoked_at is not null or clock_timestamp() >= mandate.expires_at`,
      'the mandate is not in force',
    )}
    select coalesce(sum(p.amount_minor), 0), count(*) into spent, uses from ap2_payments p
      join payment_references r using (payment_reference_id)
      where p.mandate_key = new.mandate_key and r.state not in ('rejected','expired');
    ${refusal(
      `mandate.budget_minor is not null and (new.currency <> mandate.currency or spent + new.amount_minor > mandate.budget_minor)`,
      'the payment exceeds the budget of the mandate',
    )}
    ${refusal(`uses >= mandate.uses_max`, 'the mandate is used up')}
    return new;
  end $$`,
  `create trigger ap2_payments_guard before insert or update or delete on ap2_payments
    for each row execute function ap2_payments_guard()`,
]
