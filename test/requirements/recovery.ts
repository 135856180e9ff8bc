/** Requirements on recovery by the rows: id → source and behavior. */
export const recoveryRequirements = {
  'recovery.late': {
    source: 'decision',
    behavior:
      'A row is late by its own age in its state, whatever Temporal believes; one that waits for a caller is not late, and one that waits for a decision only once that is. A transfer that waits for an operator keeps its workflow in Temporal, also after a loss of its data.',
  },
  'recovery.wakes': {
    source: 'decision',
    behavior:
      'Each open row that is older than its target is woken by one worker, whether or not a workflow runs, with a growing distance, at most so many at once, and sooner again where Temporal did not answer; one that cannot be woken does not hold up the others.',
  },
  'recovery.running': {
    source: 'decision',
    behavior:
      'A transfer whose running workflow lost the result of its reservation is sent and paid without a call or an act.',
  },
  'recovery.firings': {
    source: 'decision',
    behavior:
      'A firing that is due and has lost its workflow is late, and is carried out once by its row; after a pause it charges nothing.',
  },
  'recovery.joins': {
    source: 'decision',
    behavior: 'A repeated execute that joins a transfer older than 2 s wakes its workflow.',
  },
  'recovery.expired': {
    source: 'decision',
    behavior:
      'A transfer that was not sent says after its end that it has expired and waits for finality, with money_moved unknown, and is dead soon after a later final block, without a wake.',
  },
  'callback.payouts-at-once': {
    source: 'decision',
    behavior: 'The delivery of a callback of a payout is started by the step that stores it.',
  },
  'recovery.stuck': {
    source: 'decision',
    behavior:
      'The list of what is stuck, recover with --all, the console, doctor and the gauges show one set of late rows, each with what is missing and the act that helps; explain says first that a workflow is gone or does not know its row, or that the daily cap is reached.',
  },
} as const
