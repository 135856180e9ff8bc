/** Requirements on rail work in processes of its own: id → source and behavior. */
export const isolationRequirements = {
  'isolation.queues': {
    source: 'decision',
    behavior:
      'Runs have a worker process of their own by default, in the embedded stack and in containers; one that would serve them with payouts, transfers or signing refuses to start.',
  },
  'isolation.processes': {
    source: 'decision',
    behavior:
      'Work on what agents send is done in a pool of child processes; the parent streams bytes, and the child parses them.',
  },
  'isolation.limits': {
    source: 'decision',
    behavior:
      'Processor time and memory of each piece of work are limited, and ten times the processor time on the clock; at a limit the child is killed and the work is refused as input_too_complex.',
  },
  'isolation.child': {
    source: 'decision',
    behavior: 'A child has no environment, reads nothing but the program, writes nothing and starts nothing.',
  },
  'isolation.golden': {
    source: 'decision',
    behavior:
      'Bounds on time change no result: accepted inputs of every rail give the work that was recorded for them.',
  },
} as const
