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
  'health.ready': {
    source: 'calls § Health',
    behavior:
      'The endpoint /readyz shows the state of Postgres, its schema and disk, Temporal, the chain, its nodes, the workers and the clock.',
  },
  'operate.operator-create': {
    source: 'stack § Command line',
    behavior: 'The command agent-rails operator create NAME prints a working credential once.',
  },
  'operate.doctor': {
    source: 'stack § Command line',
    behavior:
      'The command agent-rails doctor names each fault of a deployment with its remedy, and exits with 1 when there is a fault.',
  },
  'operate.metrics': {
    source: 'calls § Access kinds',
    behavior:
      'The endpoint /metrics returns Prometheus text, only to an operator, or to loopback where BASE_URL names this machine or TRUST_LOOPBACK is always.',
  },
  'operate.drain': {
    source: 'stack § Processes',
    behavior: 'A process that is stopping finishes the calls that it has begun.',
  },
  'operate.legible': {
    source: 'payouts § Workflow',
    behavior:
      'The summary, the current details and the search attributes of a workflow show its state, its last receipt and the action that unblocks it.',
  },
  'operate.recover': {
    source: 'payouts § Recovery',
    behavior:
      'The commands recover list, explain, wake and reconcile work without editing the database.',
  },
  'switches.scopes': {
    source: 'payouts § Pauses',
    behavior:
      'A pause of the service, the rail, a wallet or a payout refuses new executes with 503 and reserves nothing.',
  },
  'switches.offered': {
    source: 'decision',
    behavior:
      'A paused rail has the status paused in the price tables and the manifest, is not available where it is inspected, and is named by the pauses of the hardening view.',
  },
  'switches.work': {
    source: 'payouts § Pauses',
    behavior:
      'A pause of a rail or an agent refuses its quotes and new runs with 503 paused. Its queued runs wait until it ends. What has begun continues.',
  },
  'switches.ordered': {
    source: 'payouts § Pauses',
    behavior:
      'A reservation, a quote or a run commits before a pause or sees it. None is made after a pause.',
  },
  'switches.signed': {
    source: 'payouts § Pauses',
    behavior:
      'Each pause and resume writes its row, its history and a signed receipt with the name of the operator in one transaction.',
  },
  'switches.idempotent': {
    source: 'calls § Idempotency',
    behavior:
      'One key makes one pause or resume with one receipt. Another body under the same key is a conflict.',
  },
  'switches.append-only': {
    source: 'payouts § Pauses',
    behavior: 'SQL refuses a change of the history of pauses.',
  },
  'switches.cli': {
    source: 'payouts § Pauses',
    behavior:
      'The commands agent-rails pause, resume and pauses have the same effect as the API, in the name of an operator.',
  },
  'switches.shown': {
    source: 'payouts § Pauses',
    behavior:
      'The endpoint readyz, the front page, doctor and the metrics show a pause. The service stays ready.',
  },
  'operate.gauges': {
    source: 'stack § Processes',
    behavior:
      'The metrics have gauges for everything that waits or is wrong, and each alerting rule names a metric that exists.',
  },
  'operate.alert-tests': {
    source: 'decision',
    behavior:
      'Each alerting rule has a test in which it stays silent and one in which it fires, and promtool runs them.',
  },
  'operate.doctor-attention': {
    source: 'decision',
    behavior:
      'The command doctor counts what waits or is wrong by kind and code, with the age of the oldest and the next command; it is no fault.',
  },
  'operate.readyz-status': {
    source: 'decision',
    behavior:
      'The status of /readyz depends on dependencies only; only this machine and operators see counts, all others see which part is well.',
  },
  'operate.dashboards': {
    source: 'decision',
    behavior:
      'The Grafana dashboards are made by code, are current, and name only metrics that exist; the compose profile observability serves them with the alerting rules.',
  },
  'operate.worker-metrics': {
    source: 'decision',
    behavior:
      'With WORKER_METRICS_PORT set, a worker serves the metrics of its Temporal pollers, slots and tasks, by default on loopback.',
  },
  'cli.completion': {
    source: 'decision',
    behavior:
      'The command completion prints a static script for bash, zsh or fish, which completes commands, options and their values.',
  },
  'cli.json': {
    source: 'decision',
    behavior: 'Every command prints tables or names with values, and JSON with --json.',
  },
} as const
