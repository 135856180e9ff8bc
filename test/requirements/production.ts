/** Requirements on the production write gate and the first paid production run: id → source and behavior. */
export const productionRequirements = {
  'workflow.schedule': {
    source: 'production § Customer workflows',
    behavior:
      'A workflow has no schedule before an operator approves it; then its schedule is made, paused, resumed and removed as its agent moves it.',
  },
  'workflow.firing': {
    source: 'production § Customer workflows',
    behavior:
      'A firing starts one run that the wallet pays, behind the gate and with its own review; without money, too early or while paused it starts none and is shown with the reason.',
  },
  'workflow.due': {
    source: 'decision',
    behavior:
      'When a firing was due is computed from the row of its workflow and the clock of the database: the newest time of its calendar, so that one run starts for each, whatever Temporal begins.',
  },
  'workflow.stops': {
    source: 'production § Customer workflows',
    behavior:
      'Once a pause or deletion is answered, no firing is charged, in whatever step it is and also when it is repeated with its quote; the state is read in the transaction that pays, in SQL as well. A run that was paid before is found.',
  },
  'workflow.terms': {
    source: 'production § Customer workflows',
    behavior:
      'An agent accepts the terms of the runs when it makes or resumes a workflow; they are stored with their digest, each firing cites it, and one by other terms starts nothing.',
  },
  'workflow.key': {
    source: 'decision',
    behavior:
      'Firings act with the access key that made or resumed the workflow; once it is revoked they start nothing and say so.',
  },
  'workflow.bounds': {
    source: 'decision',
    behavior:
      'An agent has at most 20 workflows that are not over, each with a wallet of its own and an inline input that its rail reads; others see none of it.',
  },
  'workflow.killed': {
    source: 'production § Customer workflows',
    behavior:
      'A firing that was due while worker and Temporal were killed is carried out once after they are back.',
  },
  'production.customer-run': {
    source: 'production § Customer production runs',
    behavior:
      'A paid run for a customer account passes the gate, waits for payment and reviews, and closes; its binding names order, payment, package, receipt and state, in the list of its agent too.',
  },
  'production.every-run': {
    source: 'production § Customer production runs',
    behavior:
      'An operational run for a customer account is a production run however it was started: it is listed, and counts on the activation path, for its prospect, in the sprint and for fees.',
  },
  'production.customer-run-refused': {
    source: 'production § Customer production runs',
    behavior:
      'Without the scope, the rail, a live key or another body under the same key, a start is refused and leaves no run; others neither read nor list a run.',
  },
  'production.abandoned': {
    source: 'decision',
    behavior:
      'A run that closes without a result has the completion state failed, by its attestation. Its order has failed and leaves the review console, a callback is sent for its exception and its failure, and its return package is refused for good with 409 wrong_state.',
  },
  'production.given-up': {
    source: 'decision',
    behavior:
      'A run completes by its receipts: the document says that a paid run completes with package and receipt. One that is abandoned before them has failed, in its attestation, its completion state, its conditions, its order and its pilot, also where its result was attested; one that is abandoned after them, such as for its callback, has completed in all of these.',
  },
  'production.path': {
    source: 'production § Customer activation path',
    behavior:
      'The seven steps of a customer account are done by the records of its furthest run, each with its evidence, for its agent alone; none is set by a call.',
  },
  'production.path-limits': {
    source: 'decision',
    behavior:
      'An agent begins at most twenty activations within a day, by its access key and its status token together; a rail without a price and a sandbox agent have none.',
  },
  'production.hardening': {
    source: 'production § Controls',
    behavior:
      'GET /api/os-security-hardening judges nine controls by registry, settings and records, each with what was read; each turns off or stale when its state is bad.',
  },
  'production.hardening-bounded': {
    source: 'production § Controls',
    behavior:
      'A reading counts up to 1,000 records of each kind, the newest first and by index, however many there are.',
  },
  'production.gate-contract': {
    source: 'production § Write gate',
    behavior:
      'GET /api/production-write-gate prints the checks, rails and operations behind the gate from the registry, with what passed so far and the pause of the service.',
  },
  'production.gate-events': {
    source: 'production § Operations behind it',
    behavior:
      'GET /api/production-write-gate with audit_event_id returns the event of a gated write, a validation or a refused controlled pilot to its agent, and 404 to all others.',
  },
  'production.gate-checks': {
    source: 'production § Write gate',
    behavior:
      'The five checks are judged on records: scopes and trust, use of the key, rail, public host of the callback, audit event; one that fails makes pass false, and the answer a 200.',
  },
  'production.gate-moves-nothing': {
    source: 'production § Write gate',
    behavior:
      'A question to the gate leaves an audit event with a signed receipt, and no task, order, payment or posting.',
  },
  'production.gate-once': {
    source: 'production § Write gate',
    behavior:
      'Fifty parallel questions under one key are one audit event; another body under it is 422; secrets in the callback URL are 422 and in no row.',
  },
  'production.gate-transaction': {
    source: 'production § Operations behind it',
    behavior:
      'Every gated operation passes the gate in the transaction of its write: what is committed about key or agent before refuses it, and each write has one audit event.',
  },
  'production.gate-acceptance': {
    source: 'production § Operations behind it',
    behavior:
      'The acceptance of an operational contract passes the gate, by the presented access key, or with a status token by the active one of its agent; a synthetic one needs no gate.',
  },
  'production.gate-guarded': {
    source: 'decision',
    behavior:
      'SQL keeps audit events as written, and refuses the write of a key that is not live or of an agent that is not trusted.',
  },
  'production.run': {
    source: 'production § First paid production run',
    behavior:
      'A run that is paid, reviewed and begun over MCP closes with eight conditions that its records show, each with its evidence, a receipt, and a descriptor that says so.',
  },
  'production.unmet': {
    source: 'production § First paid production run',
    behavior:
      'A run that closes without meeting all says which and why; a repeat of its start is 409 conditions_unmet with each of them.',
  },
  'production.conditions': {
    source: 'production § Conditions',
    behavior:
      'Each condition is met only by its record: another account, an undecided order, a disputed payment, another tool, a changed result, no receipt, another hash or a revoked key leaves it unmet.',
  },
  'production.never-by-hand': {
    source: 'decision',
    behavior:
      'SQL takes conditions once, after the task has closed, and as reached only when all eight are met.',
  },
  'production.needs-all': {
    source: 'production § First paid production run',
    behavior:
      'Without scope, rail, callback, payment or review nothing is executed; quotes, payments and runs of other agents are refused.',
  },
  'production.run-once': {
    source: 'production § First paid production run',
    behavior:
      'Fifty parallel starts under one key are one run with one order and one payment; another body under the key is 422.',
  },
  'production.credential-policy': {
    source: 'agents § Credential check',
    behavior:
      'GET /api/credential-enforcement-middleware prints access, scopes and gate of every operation and the checks in the order in which they refuse, with the number of checks so far.',
  },
  'production.tools': {
    source: 'mcp § Tools',
    behavior:
      'The tools are those of the documented list in its order; each is one operation with schemas and annotations, and no other tool is listed.',
  },
} as const
