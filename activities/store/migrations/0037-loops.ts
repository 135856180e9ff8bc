/** Runs by the step that they are at, without those that are attested. */
export const loops: readonly string[] = [
  `create index runs_at_step on runs (step) where step is not null`,
]
