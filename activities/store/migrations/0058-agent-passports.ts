import { digest } from './columns.ts'

/** The passport of each agent that was signed last, which its readers get as long as the records state the same. */
export const agentPassports: readonly string[] = [
  `create table agent_passports (
    agent_id text primary key references agents,
    stated_sha256 text not null ${digest('stated_sha256')},
    jws text not null,
    signed_at timestamptz not null default clock_timestamp()
  )`,
]
