import { type Kysely, sql } from 'kysely'

/** Hosted pages of the rails with what the last look at each found, and the customers who opened a checkout. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table product_links (
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    url text,
    provider_price_usd integer not null check (provider_price_usd > 0),
    outcome text check (outcome in ('live','broken')),
    checked_at timestamptz,
    receipt_id text not null unique references receipts,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (rail, tier),
    check ((outcome is null) = (checked_at is null)),
    check (url is not null or outcome is null)
  )`,
  `create table checkouts (
    checkout_id text primary key,
    challenge_id text not null references payment_challenges,
    payment_path text not null check (payment_path in ('hosted_checkout_link','invoice_or_purchase_order','agent_credit',
      'manual_operator_verified_reference')),
    customer_name text not null check (customer_name <> ''),
    customer_email text not null check (customer_email <> ''),
    purchase_order text,
    opened_at timestamptz not null default clock_timestamp()
  )`,
  `create index checkouts_challenge on checkouts (challenge_id, opened_at desc)`,
  `create trigger checkouts_append_only before update or delete on checkouts for each row execute function money_append_only()`,
]
