export const durabilityRequirements = {
  'durable.kill-worker': {
    source: 'payouts § Workflow',
    behavior:
      'When the worker is killed with kill -9 right after the broadcast, the payout is executed once and the retry gets the result.',
  },
  'durable.kill-parts': {
    source: 'payouts § Workflow',
    behavior:
      'When Temporal, Postgres and the API are killed with kill -9 during a payout, the payout is executed once.',
  },
  'durable.kill-start': {
    source: 'decision',
    behavior:
      'When the API is killed between the decision on a run and the message that wakes its workflow, the run continues without its caller, and its payment is taken once.',
  },
  'durable.terminated': {
    source: 'payouts § Workflow',
    behavior:
      'When an operator terminates the workflow of a payout, a new run continues the payout.',
  },
  'durable.replay': {
    source: 'payouts § Workflow',
    behavior:
      'Saved histories of every path of a payout replay on the current workflows. A changed copy is rejected.',
  },
  'durable.broken-run': {
    source: 'payouts § Workflow',
    behavior:
      'A run whose workflow task fails repeatedly is ended, and a new run continues from the rows.',
  },
  'durable.slow-steps': {
    source: 'payouts § Workflow',
    behavior: 'A step that takes longer than a workflow task leaves a history that replays.',
  },
  'durable.contention': {
    source: 'payouts § Workflow',
    behavior: 'At most 6 updates of one payout are in flight over all processes.',
  },
  'durable.unknown-update': {
    source: 'payouts § Workflow',
    behavior:
      'A failed update call has an unknown outcome. The API reads Postgres and retries the call.',
  },
  'store.transaction-retry': {
    source: 'stack § Storage',
    behavior:
      'A transaction or single statement is retried after a serialization failure or deadlock.',
  },
  'store.state-moves': {
    source: 'decision',
    behavior:
      'The states and moves of a record are declared once; its CHECK and its trigger follow from the declaration and refuse every other move.',
  },
  'store.lock-order': {
    source: 'stack § Storage',
    behavior:
      'Every transaction locks a call before its payment, so that settling and releasing never wait for each other.',
  },
  'store.schema-version': {
    source: 'decision',
    behavior:
      'The schema names its version, the oldest program that may use it and the digest of each migration; a program outside the range stops with one sentence, also one that runs. Start, readiness and doctor read this alike.',
  },
  'store.migrations': {
    source: 'stack § Storage',
    behavior:
      'Migrations only go forward and create a missing database. Two processes may run them at once.',
  },
  'store.subjects': {
    source: 'decision',
    behavior:
      'The schema of the first release has one migration for each subject. Each table, index, function, trigger and view stands there once, in its final form.',
  },
  'chaos.schedule': {
    source: 'decision',
    behavior:
      'A seed gives one schedule of faults. It covers every boundary of every activity and every kind of fault.',
  },
  'chaos.boundaries': {
    source: 'payouts § Workflow',
    behavior:
      'With a fault at each boundary of each activity and in each part, and with a chain that lies, is silent or reorganises, each payout moves money once or provably never, and all records agree.',
  },
  'chaos.storm': {
    source: 'decision',
    behavior:
      'After a storm that kills every part in an order of its seed, while payouts and runs are started and left alone, all of them are done, or are stopped with a cause and say what they wait for.',
  },
  'chaos.checker.judges': {
    source: 'decision',
    behavior: 'The checker finds nothing in a healthy batch, and finds each planted fault.',
  },
  'chaos.checker.real': {
    source: 'decision',
    behavior:
      'On the real stack the checker finds nothing in healthy payouts, and finds each planted error.',
  },
  'chaos.mutations': {
    source: 'decision',
    behavior:
      'Each of the nine mutations of the rail matches the current source and compiles, so that a test can show that it is caught.',
  },
  'chaos.checker.independent': {
    source: 'decision',
    behavior:
      'The checker reads the chain, Postgres and Temporal by itself and shares no code with the rail.',
  },
} as const
