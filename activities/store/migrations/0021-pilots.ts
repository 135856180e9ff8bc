import { pilotSources, pilotTransitions } from '#domain/pilots/pilot.ts'
import { checkAccountOf } from './0019-production.ts'
import { digest, movesOtherwise, oneOf, refusal } from './columns.ts'
import { guard } from './guards.ts'

const changing = `array['client','workflow_description','desired_start','agent_id','work_order_id','challenge_id','state','state_since','waiting_since','reminded_at','decision_id']`
/** What is filled in once, when a pilot that was only offered becomes someone's. */
const filledOnce = ['agent_id', 'work_order_id', 'challenge_id', 'decision_id', 'reminded_at']

/**
 * Pilots of clients, from their intake, invitation or offer to their first run, what was said about each, and the chains that activate
 * controlled pilots, or that were refused.
 */
export const pilots: readonly string[] = [
  `create table pilots (
    pilot_id text primary key check (pilot_id ~ '^pl_[0-9a-f]{64}$'),
    source text not null ${oneOf('source', pilotSources)},
    rail text not null,
    tier text not null check (tier in ('entry','standard','pro')),
    total_usd integer not null check (total_usd >= 0),
    client json not null,
    objective text not null check (char_length(objective) between 1 and 2000),
    workflow_description text check (char_length(workflow_description) <= 4000),
    desired_start text check (desired_start ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
    agent_id text references agents,
    work_order_id text unique references work_orders,
    challenge_id text references payment_challenges,
    status_token_sha256 text not null unique ${digest('status_token_sha256')},
    state text not null ${oneOf('state', Object.keys(pilotTransitions))},
    state_since timestamptz not null default clock_timestamp(),
    waiting_since timestamptz,
    decision_id text check (decision_id ~ '^dec_[0-9a-f]{64}$'),
    terms_sha256 text ${digest('terms_sha256')},
    expires_at timestamptz,
    reminded_at timestamptz,
    created_at timestamptz not null default clock_timestamp(),
    prospect_id text,
    check ((source = 'invitation') = (terms_sha256 is not null)),
    check ((source = 'invitation') = (expires_at is not null)),
    check (source = 'invitation' or reminded_at is null),
    check (source not in ('offer','controlled') or agent_id is not null),
    check (prospect_id is null or source = 'invitation')
  )`,
  `create index pilots_waiting on pilots (waiting_since, pilot_id) where waiting_since is not null`,
  `create index pilots_state on pilots (state, state_since)`,
  `create index pilots_newest on pilots (created_at desc, pilot_id)`,
  `create index pilots_agent on pilots (agent_id, created_at desc, pilot_id) where agent_id is not null`,
  `create index pilots_prospect on pilots (prospect_id) where prospect_id is not null`,
  `create function pilots_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op = 'DELETE'`, 'a pilot is never deleted')}
    if tg_op = 'INSERT' then
      ${refusal(
        `new.state <> (case new.source when 'intake' then 'requested' when 'invitation' then 'invited' when 'controlled' then 'activated' else 'accepted' end)`,
        'a pilot begins as its source says',
      )}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - ${changing} <> to_jsonb(old) - ${changing}`,
      'what was agreed on of a pilot never changes',
    )}
    ${filledOnce.map((column) => refusal(`old.${column} is not null and new.${column} is distinct from old.${column}`, 'what is known of a pilot is written once')).join('\n    ')}
    ${refusal(movesOtherwise('state', pilotTransitions), 'no such move of a pilot')}
    ${refusal(
      `old.state <> new.state and new.state = 'expired' and old.expires_at > now()`,
      'an invitation ends at its time',
    )}
    ${refusal(
      `old.state <> new.state and new.state in ('accepted','declined') and old.expires_at <= now()`,
      'an invitation is answered within its time',
    )}
    return new;
  end $$`,
  `create trigger pilots_guard before insert or update or delete on pilots for each row execute function pilots_guard()`,
  `create table pilot_entries (
    pilot_id text not null references pilots,
    number integer not null check (number between 1 and 200),
    author_role text not null check (author_role in ('client','operator','service')),
    author text not null,
    kind text not null check (kind in ('message','question','answer','decision','next_step')),
    text text not null check (char_length(text) between 1 and 4000),
    text_sha256 text not null check (text_sha256 = encode(sha256(convert_to(text, 'UTF8')), 'hex')),
    due_at timestamptz,
    prev_hash text not null ${digest('prev_hash')},
    hash text not null unique ${digest('hash')},
    at timestamptz not null,
    primary key (pilot_id, number),
    check (author_role <> 'client' or (number <= 150 and kind in ('message','question','answer') and due_at is null))
  )`,
  `create index pilot_entries_steps on pilot_entries (pilot_id, number) where kind = 'next_step'`,
  // Each entry names the one before it, so that none can be left out or put in later.
  `create function pilot_entries_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'what was said about a pilot stays as it was said')}
    ${refusal(
      `new.number <> 1 + coalesce((select max(number) from pilot_entries where pilot_id = new.pilot_id), 0)
        or new.prev_hash <> coalesce((select hash from pilot_entries where pilot_id = new.pilot_id and number = new.number - 1), repeat('0', 64))`,
      'an entry follows the one before it',
    )}
    return new;
  end $$`,
  `create trigger pilot_entries_guard before insert or update or delete on pilot_entries
    for each row execute function pilot_entries_guard()`,
  `create table pilot_runs (
    task_id text primary key references tasks,
    pilot_id text not null unique references pilots,
    audit_event_id text not null unique references production_writes,
    asked_sha256 text not null ${digest('asked_sha256')},
    customer_account text not null check (char_length(customer_account) between 1 and 160),
    started_at timestamptz not null default clock_timestamp()
  )`,
  `create function pilot_runs_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(`tg_op <> 'INSERT'`, 'the run of a pilot stays as it was written')}
    ${refusal(
      `not exists (select from production_writes w where w.audit_event_id = new.audit_event_id
        and w.kind = 'written' and w.subject = new.task_id)`,
      'the audit event of a run is that of its own write',
    )}
    ${refusal(
      `not exists (select from pilots p where p.pilot_id = new.pilot_id and p.state = 'running')`,
      'the first run of a pilot begins as the pilot begins to run',
    )}
    return new;
  end $$`,
  `create trigger pilot_runs_guard before insert or update or delete on pilot_runs
    for each row execute function pilot_runs_guard()`,
  checkAccountOf('pilot_runs'),
  // Every chain of a controlled pilot, activated or refused, as its audit event.
  `create table pilot_activations (
    activation_id text primary key check (activation_id ~ '^av_[0-9a-f]{64}$'),
    audit_event_id text not null unique check (audit_event_id ~ '^aud_[0-9a-f]{64}$'),
    pilot_id text unique references pilots,
    rail text not null,
    agent_id text not null references agents,
    credential_id text not null references agent_credentials,
    objective text not null check (char_length(objective) between 1 and 2000),
    tool_scope json not null,
    chain json not null,
    failed_step text,
    code text,
    begun_at timestamptz not null default clock_timestamp(),
    check ((pilot_id is null) = (failed_step is not null)),
    check (num_nonnulls(failed_step, code) in (0, 2))
  )`,
  `create index pilot_activations_rail on pilot_activations (rail, begun_at desc, activation_id)`,
  ...guard('pilot_activations', {
    kept: 'a chain stays as it was written',
    inserted: {
      'a pilot is activated by all seven steps': `new.pilot_id is not null and (json_array_length(new.chain) <> 7
        or exists (select from json_array_elements(new.chain) c where not coalesce((c->>'ok')::boolean, false)))`,
      'the audit event of a pilot is that of its run': `new.pilot_id is not null and not exists (select from pilot_runs r where r.pilot_id = new.pilot_id
        and r.audit_event_id = new.audit_event_id)`,
    },
  }),
  // Synthetic runs by which operators try a pilot out; none of them is its run.
  `create table pilot_trials (
    task_id text primary key references tasks,
    pilot_id text not null references pilots,
    operator_id text not null,
    note text not null check (char_length(note) between 1 and 1000),
    receipt_id text not null references receipts,
    started_at timestamptz not null default clock_timestamp()
  )`,
  `create index pilot_trials_pilot on pilot_trials (pilot_id, started_at desc, task_id)`,
  ...guard('pilot_trials', {
    kept: 'a trial of a pilot stays as it was written',
    inserted: {
      'a trial of a pilot is synthetic': `(select usage from tasks t where t.task_id = new.task_id) is distinct from 'synthetic'`,
      'a pilot has 20 trials at most': `(select count(*) from pilot_trials t where t.pilot_id = new.pilot_id) >= 20`,
    },
  }),
]
