import { candidateStates, candidateTransitions } from '#domain/resolver/candidate.ts'
import { submissionStates, submissionTransitions } from '#domain/resolver/directory.ts'
import { movesOtherwise, oneOf, refusal } from './columns.ts'
import { guard, operatorsAct } from './guards.ts'

const changing = `array['state','state_since','decision_id','inspection','inspected_at','inspection_began_at']`

/** Services of others, which are inspected and decided about, and the documents that operators submit to directories of services. */
export const resolver: readonly string[] = [
  `create table services (
    service_id text primary key check (service_id ~ '^cand_[0-9a-f]{64}$'),
    origin text not null default 'registry' check (origin = 'registry'),
    name text not null check (char_length(name) between 1 and 120),
    url text not null check (char_length(url) <= 2048),
    host text not null,
    description text check (char_length(description) <= 1000),
    protocols json not null,
    schema json,
    agent_id text references agents,
    state text not null default 'observed' ${oneOf('state', candidateStates)},
    state_since timestamptz not null default clock_timestamp(),
    decision_id text,
    inspection json,
    inspected_at timestamptz,
    inspection_began_at timestamptz,
    submitted_at timestamptz not null default clock_timestamp(),
    check ((state = 'observed') = (decision_id is null)),
    check ((inspection is null) = (inspected_at is null))
  )`,
  `create index services_state on services (state, state_since)`,
  `create index services_host on services (host, submitted_at)`,
  `create function services_guard() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' then
      ${refusal(`old.state <> 'observed'`, 'a service that was decided about is never deleted')}
      return old;
    end if;
    if tg_op = 'INSERT' then
      ${refusal(`new.state <> 'observed'`, 'a service begins as observed')}
      return new;
    end if;
    ${refusal(
      `to_jsonb(new) - ${changing} <> to_jsonb(old) - ${changing}`,
      'what was submitted of a service never changes',
    )}
    ${refusal(movesOtherwise('state', candidateTransitions), 'no such move of a service')}
    ${refusal(
      `old.state <> 'observed' and new.inspection::text is distinct from old.inspection::text`,
      'the inspection that was decided about never changes',
    )}
    return new;
  end $$`,
  `create trigger services_guard before insert or update or delete on services for each row execute function services_guard()`,
  `create table directory_submissions (
    submission_id text primary key check (submission_id ~ '^ds_[0-9a-f]{64}$'),
    directory text not null check (directory ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
    document text not null,
    document_sha256 text not null
      check (document_sha256 = encode(sha256(convert_to(document, 'UTF8')), 'hex')),
    state text not null default 'prepared'
      ${oneOf('state', submissionStates)},
    url text check (length(url) <= 2048),
    attempts integer not null default 0 check (attempts between 0 and 8),
    next_attempt_at timestamptz,
    last_failure text,
    prepared_by text not null,
    prepared_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp(),
    unique (directory, document_sha256),
    check ((state = 'prepared') = (url is null)),
    check ((state = 'submitted') = (next_attempt_at is not null)),
    check (state in ('prepared','submitted') or attempts > 0)
  )`,
  `create index directory_submissions_open on directory_submissions (submission_id) where state = 'submitted'`,
  `create index directory_submissions_newest on directory_submissions (prepared_at desc)`,
  // One submission sends one document to one address, whatever is configured later.
  ...guard('directory_submissions', {
    deleted: 'a submission is never deleted',
    inserted: { 'a submission begins as prepared': `new.state <> 'prepared'` },
    updated: {
      'what is submitted where never changes': `(old.submission_id, old.directory, old.document, old.document_sha256, old.prepared_by, old.prepared_at)
        is distinct from (new.submission_id, new.directory, new.document, new.document_sha256, new.prepared_by, new.prepared_at)
        or (old.url is not null and old.url is distinct from new.url)`,
      'no such change of a submission': `new.attempts not in (old.attempts, old.attempts + 1)
        or (old.state = new.state and old.state <> 'submitted') or (${movesOtherwise('state', submissionTransitions)})`,
    },
  }),
  operatorsAct('directory_submissions', 'prepared_by'),
]
