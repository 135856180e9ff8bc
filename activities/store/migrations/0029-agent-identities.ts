import { hex } from './columns.ts'
import { keepRows } from './guards.ts'

/** The token of an on-chain identity registry that an agent proved to own when it registered. */
export const agentIdentities: readonly string[] = [
  `create table agent_identities (
    agent_id text primary key references agents,
    chain_id integer not null check (chain_id > 0),
    registry text not null ${hex('registry', 40)},
    token_id text not null check (token_id ~ '^(0|[1-9][0-9]{0,77})$'),
    owner text not null ${hex('owner', 40)},
    verified_at timestamptz not null default clock_timestamp()
  )`,
  ...keepRows('agent_identities', 'a proven identity stays as it was'),
]
