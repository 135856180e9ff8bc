import { digest, hex, recordKind } from './columns.ts'
import { keepRows, operatorsAct } from './guards.ts'

const keyState = `state text not null check (state in ('pending','active','retiring','retired','revoked'))`
const keyMoves = `(('pending','active'), ('pending','revoked'), ('active','retiring'), ('active','revoked'),
      ('retiring','retired'), ('retiring','revoked'), ('retired','revoked'))`

/**
 * Agents with their trust, profiles, on-chain identities, passports, credentials and signing versions, the decisions of operators, and
 * audit events.
 */
export const agents: readonly string[] = [
  `create table accounts (
    account_id text primary key check (account_id ~ '^acc_[0-9a-f]{64}$'),
    name text not null,
    country text,
    owner_agent_id text not null,
    created_at timestamptz not null default clock_timestamp()
  )`,
  `create table agents (
    agent_id text primary key check (agent_id ~ '^agt_[0-9a-f]{64}$'),
    account_id text not null references accounts,
    name text not null,
    contact json not null,
    capabilities json not null,
    rails json not null,
    protocols json not null,
    requested_scopes json not null,
    public_key json not null,
    key_sha256 text not null ${digest('key_sha256')},
    encryption_key json,
    sandbox boolean not null,
    -- From where it was registered: its work counts there until it is trusted.
    network text,
    status_token_sha256 text not null unique ${digest('status_token_sha256')},
    trust_state text not null check (trust_state in ('submitted','under_review','trusted','rejected','suspended','sandbox_trusted')),
    trust_since timestamptz not null default clock_timestamp(),
    decision_id text,
    limits json,
    publish_profile boolean not null default false,
    created_at timestamptz not null default clock_timestamp(),
    registration_call text unique,
    ${recordKind('trust_profile')},
    limits_receipt_id text references receipts,
    check (sandbox = (trust_state = 'sandbox_trusted'))
  )`,
  `alter table accounts add constraint accounts_owner foreign key (owner_agent_id) references agents deferrable initially deferred`,
  `create index agents_waiting on agents (trust_state, trust_since)`,
  `create index agents_key on agents (key_sha256, created_at)`,
  `create index agents_published on agents (created_at desc, agent_id) where publish_profile and trust_state = 'trusted'`,
  // The second guard of the trust table and of the fixed manifest: it also holds against SQL typed by hand.
  `create function agents_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then raise exception 'an agent is never deleted' using errcode = 'check_violation'; end if;
    if tg_op = 'INSERT' then
      if new.trust_state not in ('submitted', 'sandbox_trusted') then raise exception 'an agent begins as submitted' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.agent_id, old.account_id, old.name, old.contact::text, old.capabilities::text, old.rails::text, old.protocols::text, old.requested_scopes::text, old.public_key::text, old.key_sha256, old.encryption_key::text, old.sandbox, old.status_token_sha256, old.created_at)
       is distinct from (new.agent_id, new.account_id, new.name, new.contact::text, new.capabilities::text, new.rails::text, new.protocols::text, new.requested_scopes::text, new.public_key::text, new.key_sha256, new.encryption_key::text, new.sandbox, new.status_token_sha256, new.created_at)
    then raise exception 'what an agent registered never changes' using errcode = 'check_violation'; end if;
    if old.trust_state <> new.trust_state and (old.trust_state, new.trust_state) not in
      (('submitted','under_review'), ('under_review','trusted'), ('under_review','rejected'), ('trusted','suspended'), ('suspended','trusted'))
    then raise exception 'no such trust transition: % to %', old.trust_state, new.trust_state using errcode = 'check_violation'; end if;
    if old.limits::text is distinct from new.limits::text and old.decision_id is not distinct from new.decision_id
       and (new.trust_state <> 'trusted' or old.limits_receipt_id is not distinct from new.limits_receipt_id)
    then raise exception 'limits change by a decision, or while the agent is trusted and with a receipt' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger agents_guard before insert or update or delete on agents for each row execute function agents_guard()`,
  // What agents publish of themselves; it is public while the agent's `publish_profile` says so.
  `create table agent_profiles (
    agent_id text primary key references agents,
    name text not null check (char_length(name) between 1 and 120),
    description text not null check (char_length(description) between 1 and 1000),
    capabilities json not null,
    rails json not null,
    receipt_id text not null references receipts,
    changed_at timestamptz not null default clock_timestamp()
  )`,
  // The token of an on-chain identity registry that an agent proved to own when it registered.
  `create table agent_identities (
    agent_id text primary key references agents,
    chain_id integer not null check (chain_id > 0),
    registry text not null ${hex('registry', 40)},
    token_id text not null check (token_id ~ '^(0|[1-9][0-9]{0,77})$'),
    owner text not null ${hex('owner', 40)},
    verified_at timestamptz not null default clock_timestamp()
  )`,
  ...keepRows('agent_identities', 'a proven identity stays as it was'),
  // The passport of each agent that was signed last, which its readers get as long as the records state the same.
  `create table agent_passports (
    agent_id text primary key references agents,
    stated_sha256 text not null ${digest('stated_sha256')},
    jws text not null,
    signed_at timestamptz not null default clock_timestamp()
  )`,
  `create table agent_credentials (
    credential_id text primary key check (credential_id ~ '^[0-9a-f]{16}$'),
    agent_id text not null references agents,
    version integer not null check (version >= 1),
    ${keyState},
    secret_sha256 text unique ${digest('secret_sha256')},
    scopes json not null,
    rails json not null,
    overlap_seconds integer not null check (overlap_seconds between 0 and 604800),
    created_at timestamptz not null default clock_timestamp(),
    claimed_at timestamptz,
    expires_at timestamptz,
    retire_at timestamptz,
    revoked_at timestamptz,
    ${recordKind('credential_envelope')},
    unique (agent_id, version),
    check ((secret_sha256 is null) = (claimed_at is null) and (claimed_at is null) = (expires_at is null)),
    check (state not in ('active','retiring','retired') or secret_sha256 is not null),
    check (state <> 'pending' or secret_sha256 is null),
    check (state not in ('retiring','retired') or retire_at is not null),
    check ((state = 'revoked') = (revoked_at is not null))
  )`,
  `create unique index agent_credentials_one on agent_credentials (agent_id, state) where state in ('pending','active')`,
  `create function agent_credentials_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then raise exception 'a credential is never deleted' using errcode = 'check_violation'; end if;
    if tg_op = 'INSERT' then
      if new.state <> 'pending' then raise exception 'a credential begins as pending' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.credential_id, old.agent_id, old.version, old.scopes::text, old.rails::text, old.created_at)
       is distinct from (new.credential_id, new.agent_id, new.version, new.scopes::text, new.rails::text, new.created_at)
       or (old.secret_sha256 is not null and (old.secret_sha256, old.claimed_at) is distinct from (new.secret_sha256, new.claimed_at))
    then raise exception 'what a credential is for never changes' using errcode = 'check_violation'; end if;
    if old.state <> new.state and (old.state, new.state) not in ${keyMoves}
    then raise exception 'no such credential transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    if old.state = 'revoked' and new.revoked_at is distinct from old.revoked_at
    then raise exception 'a revocation stays as it was' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger agent_credentials_guard before insert or update or delete on agent_credentials for each row execute function agent_credentials_guard()`,
  `create table agent_signing_versions (
    agent_id text not null references agents,
    version integer not null check (version >= 1),
    key_id text not null unique,
    public_key json not null,
    key_sha256 text not null unique ${digest('key_sha256')},
    ${keyState},
    not_before timestamptz,
    retire_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    primary key (agent_id, version),
    check (state not in ('active','retiring','retired') or not_before is not null),
    check (state not in ('retiring','retired') or retire_at is not null),
    check ((state = 'revoked') = (revoked_at is not null))
  )`,
  `create unique index agent_signing_versions_one on agent_signing_versions (agent_id, state) where state in ('pending','active')`,
  `create function agent_signing_versions_guard() returns trigger language plpgsql as $$
  begin
    -- A key goes back to its holder only where it never claimed anything for this agent.
    if tg_op = 'DELETE' then
      if exists (select from agent_credentials c where c.agent_id = old.agent_id and c.claimed_at is not null)
      then raise exception 'a signing version is never deleted' using errcode = 'check_violation'; end if;
      return old;
    end if;
    if tg_op = 'INSERT' then
      if new.state <> 'pending' then raise exception 'a signing version begins as pending' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if (old.agent_id, old.version, old.key_id, old.public_key::text, old.key_sha256) is distinct from (new.agent_id, new.version, new.key_id, new.public_key::text, new.key_sha256)
    then raise exception 'the key of a signing version never changes' using errcode = 'check_violation'; end if;
    if old.state <> new.state and (old.state, new.state) not in ${keyMoves}
    then raise exception 'no such signing version transition: % to %', old.state, new.state using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger agent_signing_versions_guard before insert or update or delete on agent_signing_versions for each row execute function agent_signing_versions_guard()`,
  // The six steps of access key delivery. Each step requires the step before it.
  `create table credential_deliveries (
    credential_id text not null references agent_credentials,
    ordinal integer not null check (ordinal between 1 and 6),
    step text not null,
    actor text not null,
    at timestamptz not null default clock_timestamp(),
    primary key (credential_id, ordinal),
    check ((ordinal, step) in ((1,'trust_approved'), (2,'credential_envelope_created'), (3,'access_key_scoped'),
      (4,'callback_or_contact_delivery'), (5,'rotation_ready'), (6,'gateway_ready')))
  )`,
  `create function credential_deliveries_guard() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'INSERT' then raise exception 'a step that was taken is never rewritten' using errcode = 'check_violation'; end if;
    if new.ordinal > 1 and not exists (select from credential_deliveries d where d.credential_id = new.credential_id and d.ordinal = new.ordinal - 1)
    then raise exception 'step % comes before its turn', new.step using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  `create trigger credential_deliveries_guard before insert or update or delete on credential_deliveries for each row execute function credential_deliveries_guard()`,
  operatorsAct('credential_deliveries', 'actor'),
  `create table review_decisions (
    decision_id text primary key check (decision_id ~ '^dec_[0-9a-f]{64}$'),
    seq bigint not null unique generated always as identity,
    subject_kind text not null check (subject_kind in ('agent','service_candidate','work_order','task','loop_step','payment_reference',
      'listing','pilot','commerce_proof','exception','recovery','workflow','clearing')),
    subject_id text not null,
    waiting_since timestamptz not null,
    decision text not null check (decision in ('approve','reject','revise','hold')),
    note text not null check (note <> ''),
    limits json,
    evidence_seen_sha256 json not null,
    operator_id text not null,
    operator_name text not null,
    receipt_id text not null references receipts,
    decided_at timestamptz not null,
    evidence_root_sha256 text not null check (evidence_root_sha256 ~ '^[0-9a-f]{64}$'),
    judgements json not null,
    unique (subject_kind, subject_id, waiting_since)
  )`,
  ...keepRows('review_decisions', 'a decision is never rewritten'),
  `create table credential_audits (
    audit_event_id text primary key check (audit_event_id ~ '^aud_[0-9a-f]{64}$'),
    operation_id text not null,
    credential_id text,
    decision text not null check (decision in ('allow','deny')),
    reasons json not null,
    at timestamptz not null default clock_timestamp(),
    check ((decision = 'deny') = (reasons::text <> '[]'))
  )`,
  `create index credential_audits_decision on credential_audits (decision)`,
  ...keepRows('credential_audits', 'an audit event is never rewritten'),
]
