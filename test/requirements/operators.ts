/** What operators see, and what a deployment needs: id → source and behavior. */
export const operatorRequirements = {
  'operate.connections': {
    source: 'stack § Processes',
    behavior:
      'A process opens at most DATABASE_CONNECTIONS connections, all of its steps share one pool, and two API processes with three workers fit a Postgres with its stock settings.',
  },
  'operate.doctor-connections': {
    source: 'stack § Processes',
    behavior:
      'The doctor compares what Postgres allows with what all processes may open and other programs have.',
  },
  'store.outages': {
    source: 'stack § Storage',
    behavior:
      'A server without free connections, space or memory, one that starts, stops or only reads, and conflicts of transactions count as an outage: the call may be repeated.',
  },
  'run.outages': {
    source: 'stack § Storage',
    behavior:
      'A step of a run that fails during an outage is repeated after its last attempt, however long the outage is, and opens no exception.',
  },
} as const
