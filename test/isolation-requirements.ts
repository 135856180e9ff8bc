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
  'isolation.network': {
    source: 'decision',
    behavior:
      'A child has no network: what Node offers to connect, listen and look names up is refused before any other code runs, and by Node itself from version 25.',
  },
  'isolation.attempts': {
    source: 'decision',
    behavior:
      'An attempt at a piece of work is counted in Postgres before its child starts. Work whose parent dies without a verdict is repeated at most twice, then refused as input_too_complex; a child that never begins the work counts for nothing.',
  },
  'isolation.verdict': {
    source: 'decision',
    behavior:
      'A limit verdict is stored and final. Its task is exception_open with correct_input and abandon, which returns the credit.',
  },
  'isolation.money': {
    source: 'decision',
    behavior: 'Slow inputs in every process of the runs hold up no payout.',
  },
  'isolation.growth': {
    source: 'decision',
    behavior:
      'Twice the size of an input takes at most 2.5 times the processor time, over four doublings, in each dimension of every rail, of replay and of CSV. The server reads no zip.',
  },
  'isolation.maxima': {
    source: 'decision',
    behavior: 'The largest input of each kind that is accepted finishes within the default limits of a run.',
  },
  'isolation.bounds': {
    source: 'decision',
    behavior:
      'What the lists of an input may hold together is declared, and an input beyond it is refused before it is paid for.',
  },
  'isolation.packages': {
    source: 'decision',
    behavior:
      'The result of a run has at most 16 Mi characters. A large package is verified and compressed in threads and holds no lock meanwhile.',
  },
  'isolation.golden': {
    source: 'decision',
    behavior:
      'Bounds on time change no result: accepted inputs of every rail give the work that was recorded for them.',
  },
} as const
