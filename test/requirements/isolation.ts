/** Requirements on rail work in processes of its own: id → source and behavior. */
export const isolationRequirements = {
  'isolation.queues': {
    source: 'runs § Isolation',
    behavior:
      'Runs have their own worker process by default, in the embedded stack and in containers. A process that would serve them together with payouts, transfers or signing refuses to start.',
  },
  'isolation.processes': {
    source: 'runs § Isolation',
    behavior:
      'Work on data of agents is done in a pool of child processes. The parent streams bytes, and the child parses them.',
  },
  'isolation.limits': {
    source: 'runs § Isolation',
    behavior:
      'Processor time and memory of each piece of work are limited, and ten times the processor time on the clock; at a limit the child is killed and the work is refused as input_too_complex.',
  },
  'isolation.child': {
    source: 'runs § Isolation',
    behavior:
      'A child has no environment, reads nothing but the program, writes nothing and starts nothing.',
  },
  'isolation.network': {
    source: 'runs § Isolation',
    behavior:
      'A child has no network: Node’s functions to connect, listen and resolve names are refused before any other code runs, and by Node itself from version 25.',
  },
  'isolation.attempts': {
    source: 'runs § Isolation',
    behavior:
      'An attempt at a piece of work is counted in Postgres before its child starts. Work whose parent dies without a verdict is repeated at most twice, then refused as input_too_complex; a child that never begins the work counts for nothing.',
  },
  'isolation.verdict': {
    source: 'runs § Isolation',
    behavior:
      'A limit verdict is stored and final. Its task is exception_open with correct_input and abandon, which returns the credit.',
  },
  'isolation.money': {
    source: 'runs § Isolation',
    behavior: 'Slow inputs in every process of the runs delay no payout.',
  },
  'isolation.growth': {
    source: 'runs § Isolation',
    behavior:
      'Twice the size of an input takes at most 2.5 times the processor time, over four doublings, in each dimension of every rail, of replay and of CSV. The server reads no zip.',
  },
  'isolation.maxima': {
    source: 'runs § Isolation',
    behavior:
      'The largest input of each kind that is accepted finishes within the default limits of a run.',
  },
  'isolation.bounds': {
    source: 'runs § Isolation',
    behavior:
      'What the lists of an input may hold together is declared, and an input beyond it is refused before it is paid for.',
  },
  'isolation.packages': {
    source: 'runs § Isolation',
    behavior:
      'The result of a run has at most 16 Mi characters. A large package is verified and compressed in threads and holds no lock meanwhile.',
  },
  'isolation.golden': {
    source: 'runs § Isolation',
    behavior:
      'Bounds on time change no result: accepted inputs of every rail give the work that was recorded for them.',
  },
} as const
