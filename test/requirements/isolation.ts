/** Requirements on rail work in processes of its own: id → source and behavior. */
export const isolationRequirements = {
  'isolation.queues': {
    source: 'runs § Isolation',
    behavior:
      'The steps of runs have their own worker process by default, in the embedded stack and in containers. A process that would serve them together with payouts, transfers or signing refuses to start.',
  },
  'isolation.cage': {
    source: 'decision',
    behavior:
      'The process that reads the bytes of callers knows no database, no signer and no Temporal. It takes bytes and answers with bytes over one Unix socket, and works without a network. What comes back is read as a stranger’s before it is stored: schema, digests and limits. A cage that is away keeps work waiting and ends none.',
  },
  'isolation.pools': {
    source: 'decision',
    behavior:
      'Callers without trust have processes and a task queue of their own, with less time and memory and the lowest priority. Paid work never waits for a place behind them.',
  },
  'isolation.inflated': {
    source: 'decision',
    behavior:
      'A reader bounds what a file inflates to before it works on it: a stream of a PDF through all of its filters, the parts of a zip, the texts of a document and of a sheet.',
  },
  'isolation.processes': {
    source: 'runs § Isolation',
    behavior:
      'Work on the data of agents runs in a pool of child processes. The parent streams bytes, and the child parses them.',
  },
  'isolation.limits': {
    source: 'runs § Isolation',
    behavior:
      'Processor time, elapsed time (ten times the processor time) and memory of each piece of work are limited. At a limit the child is killed, and the work is refused as input_too_complex.',
  },
  'isolation.public-queues': {
    source: 'decision',
    behavior:
      'Public work has queues in its pool that take turns: analyses of callers without a key and of sandbox agents, analyses of other agents, deliveries, manifests and rankings. None waits for all that waits in another, and a started run has no provisional manifest where too many wait.',
  },
  'isolation.child': {
    source: 'runs § Isolation',
    behavior:
      'A child process has no environment, reads only the program, and can neither write nor start a process.',
  },
  'isolation.network': {
    source: 'runs § Isolation',
    behavior:
      'A child process has no network. The functions of Node that connect, listen and resolve names are refused before any other code runs, and by Node itself from version 25.',
  },
  'isolation.attempts': {
    source: 'runs § Isolation',
    behavior:
      'An attempt is counted in Postgres before its child process starts. Work whose parent dies without a verdict is repeated at most twice and then refused as input_too_complex. A child that never begins the work is not counted.',
  },
  'isolation.verdict': {
    source: 'runs § Isolation',
    behavior:
      'The verdict of a limit is stored and final. Its task is exception_open with correct_input and abandon, and abandon returns the credit.',
  },
  'isolation.money': {
    source: 'runs § Isolation',
    behavior: 'Slow inputs in every run process delay no payout.',
  },
  'isolation.growth': {
    source: 'runs § Isolation',
    behavior:
      'Four times the size of an input takes at most eight times the processor time, up to sixteen times the size, in each dimension of every rail, of replay and of CSV. The server reads no zip.',
  },
  'isolation.maxima': {
    source: 'runs § Isolation',
    behavior:
      'The largest accepted input of each kind finishes within the default limits of a run.',
  },
  'isolation.bounds': {
    source: 'runs § Isolation',
    behavior:
      'The combined size of the lists of an input has a declared limit. A larger input is refused before payment.',
  },
  'isolation.packages': {
    source: 'runs § Isolation',
    behavior:
      'The result of a run has at most 16 Mi characters. A large package is verified and compressed in threads, without a database lock.',
  },
  'isolation.golden': {
    source: 'runs § Isolation',
    behavior:
      'The limits on time change no result: accepted inputs of every rail give their recorded results.',
  },
} as const
