/** What agents publish of themselves; it is public while the agent's `publish_profile` says so. */
export const agentProfiles: readonly string[] = [
  `create table agent_profiles (
    agent_id text primary key references agents,
    name text not null check (char_length(name) between 1 and 120),
    description text not null check (char_length(description) between 1 and 1000),
    capabilities json not null,
    rails json not null,
    receipt_id text not null references receipts,
    changed_at timestamptz not null default clock_timestamp()
  )`,
  `create index agents_published on agents (created_at desc, agent_id) where publish_profile and trust_state = 'trusted'`,
]
