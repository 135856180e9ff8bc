/** When the workflows of late rows were last woken, and when next. */
export const lateWakes: readonly string[] = [
  `create table late_wakes (
    subject text not null,
    id text not null,
    since timestamptz not null,
    attempts integer not null check (attempts >= 0),
    woken_at timestamptz not null default clock_timestamp(),
    next_at timestamptz not null,
    primary key (subject, id)
  )`,
  `create index late_wakes_woken on late_wakes (woken_at)`,
  `create index late_wakes_next on late_wakes (next_at)`,
]
