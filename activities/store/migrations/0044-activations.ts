import { guard } from './guards.ts'

/** Customer accounts that agents activate. Their steps are in no column: they follow from other records. */
export const activations: readonly string[] = [
  `create table activations (
    activation_id text primary key check (activation_id ~ '^av_[0-9a-f]{64}$'),
    agent_id text not null references agents,
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    started_at timestamptz not null default clock_timestamp(),
    unique (agent_id, customer_account, rail, tier)
  )`,
  `create index activations_of_agent on activations (agent_id, started_at)`,
  ...guard('activations', {
    kept: 'an activation stays as it was started',
    inserted: {
      'a sandbox agent has no customer accounts': `exists (select from agents a where a.agent_id = new.agent_id and a.sandbox)`,
    },
  }),
]
