import { digest } from './columns.ts'
import { guard, keepRows } from './guards.ts'

/** Calls of a model with their outputs, the tokens that they reserve, and the drafts that were made of them. */
export const models: readonly string[] = [
  `create table model_budgets (
    scope text primary key check (scope ~ '^(day:[0-9]{4}-[0-9]{2}-[0-9]{2}|subject:[a-z]{2,8}_[0-9a-f]{64})$'),
    tokens bigint not null check (tokens >= 0)
  )`,
  `create table model_calls (
    subject text not null check (subject ~ '^[a-z]{2,8}_[0-9a-f]{64}$'),
    prompt_sha256 text not null ${digest('prompt_sha256')},
    prompt json,
    attempts integer not null default 0 check (attempts between 0 and 2),
    output json,
    output_sha256 text,
    asked_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    primary key (subject, prompt_sha256),
    check ((output is null) = (prompt is not null)),
    check ((output is null) = (output_sha256 is null)),
    check ((output is null) = (answered_at is null)),
    check (output_sha256 = encode(sha256(convert_to(output::text, 'UTF8')), 'hex'))
  )`,
  `create table run_drafts (
    run_id text not null references runs,
    attempt integer not null check (attempt >= 0),
    round integer not null check (round >= 0),
    drafts json not null,
    drafts_sha256 text not null
      check (drafts_sha256 = encode(sha256(convert_to(drafts::text, 'UTF8')), 'hex')),
    primary key (run_id, attempt, round)
  )`,
  ...guard('model_calls', {
    deleted: 'a call of a model is never deleted',
    inserted: { 'a call begins without an output': `new.output is not null or new.attempts <> 0` },
    updated: {
      'the output of a call never changes': `old.output is not null`,
      'what a call asked never changes': `new.subject <> old.subject or new.prompt_sha256 <> old.prompt_sha256`,
    },
  }),
  ...keepRows('run_drafts', 'the drafts of a run never change'),
]
