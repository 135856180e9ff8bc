import { submissionStates, submissionTransitions } from '#domain/resolver/directory.ts'
import { movesOtherwise, oneOf } from './columns.ts'
import { guard } from './guards.ts'

/** Documents that operators submit to directories of services. */
export const directories: readonly string[] = [
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
]
