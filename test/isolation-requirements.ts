/** Requirements on rail work in processes of its own: id → source and behavior. */
export const isolationRequirements = {
  'isolation.queues': {
    source: 'decision',
    behavior:
      'Runs have a worker process of their own by default, in the embedded stack and in containers; one that would serve them with payouts, transfers or signing refuses to start.',
  },
  'isolation.golden': {
    source: 'decision',
    behavior:
      'Bounds on time change no result: accepted inputs of every rail give the work that was recorded for them.',
  },
} as const
