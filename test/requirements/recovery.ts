/** Requirements on recovery by the rows: id → source and behavior. */
export const recoveryRequirements = {
  'recovery.late': {
    source: 'decision',
    behavior:
      'A row is late by its own age in its state, whatever Temporal believes; one that waits for a caller is not late, and one that waits for a decision only once that is.',
  },
  'recovery.wakes': {
    source: 'decision',
    behavior:
      'Each open row that is older than its target is woken by one worker, whether or not a workflow runs, with a growing distance, at most so many at once, and sooner again where Temporal did not answer.',
  },
} as const
