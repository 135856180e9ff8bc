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
      'The doctor compares what Postgres allows with what all processes may open and other programs have, whatever role it is connected as.',
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
  'health.degraded': {
    source: 'calls § Health',
    behavior:
      'The endpoint /readyz names each dependency that makes calls fail. Without the chain or the signer it stays 200 and is degraded; for payouts it is 503.',
  },
  'operate.gone-gauges': {
    source: 'stack § Processes',
    behavior:
      'A gauge that cannot be read, or not in time, has no value, and the others are shown.',
  },
  'operate.alerts-fire': {
    source: 'decision',
    behavior:
      'A Prometheus that scrapes real processes fires each rule but that of a full disk by its cause: a part that is away, calls that fail, a stopped log, late rows, a backlog, and money, callbacks or decisions that wait.',
  },
  'operate.settings': {
    source: 'stack § Processes',
    behavior:
      'A setting that cannot work ends a process with one sentence and exit code 1 before it listens or polls.',
  },
  'operate.restore-check': {
    source: 'decision',
    behavior:
      'One command checks a restored database: the schema, the log against checkpoints from outside with the leaves that are lost, and all rows against receipts, charges and the chain. It exits with 1 while something has to be done.',
  },
  'operate.json-logs': {
    source: 'stack § Processes',
    behavior: 'Every line that a worker logs is a JSON object.',
  },
} as const
