/** What tasks and their runs owe; part of `requirements.ts`. */
export const taskRequirements = {
  'task.money.bound': {
    source: 'tasks.md § Task lifecycle',
    behavior:
      'Quote, challenge, settlement and usage receipt move a task from trusted to receipt_issued; each is stored before the task is told, and the usage receipt names the result contract.',
  },
  'task.money.http': {
    source: 'endpoints.md § 24',
    behavior:
      'Each operation that asks for or brings money moves its task: contract-accept, agent-quote, create-payment-challenge, payments, credits, provider events, reviews.',
  },
  'task.money.chain': {
    source: 'tasks.md § Money',
    behavior:
      'On a whole stack, stablecoins on the chain and x402 over HTTP take a task from its contract to its end, with a whole ledger and postings that add up.',
  },
  'task.money.mismatch': {
    source: 'endpoints.md § 20',
    behavior:
      'A payment of a wrong amount is never part of a credit: its task is stopped, an operator decides, and the right payment frees it.',
  },
  'task.money.healed': {
    source: 'tasks.md § Money, decision',
    behavior:
      'Money is recorded before its task is told; whatever dies between the two is found by the workers’ sweep.',
  },
  'task.money.synthetic': {
    source: 'endpoints.md § 2, decision',
    behavior:
      'A synthetic run uses credit of the sandbox: its receipts say synthetic, and its postings keep to accounts of their own, in SQL too.',
  },
  'task.money.late': {
    source: 'tasks.md § Task lifecycle, decision',
    behavior:
      'Money that comes after a lapse funds its credit and the task goes on by itself; for a task that is over it goes back.',
  },
  'task.money.return': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Credit that a failed or abandoned task did not use is returned when it is closed, once.',
  },
  'task.money.reversed': {
    source: 'endpoints.md § 20',
    behavior: 'A payment that is taken back stops its task with payment_reversed; what was earned by it goes back.',
  },
  'task.money.claim': {
    source: 'endpoints.md § 2, decision',
    behavior:
      'Credit is set aside for a task of the same rail, tier and kind; another quote takes its place until one is paid.',
  },
  'task.money.never-twice': {
    source: 'tasks.md § Money',
    behavior: 'Credit is never spent twice nor below zero under 100 parallel runs of one entitlement.',
  },
  'task.http.begin': {
    source: 'endpoints.md § 10',
    behavior: 'Over HTTP an agent begins a task, prepares its contract, and accepts it with its registered key.',
  },
  'task.http.recover': {
    source: 'endpoints.md § 10',
    behavior: 'A stopped task comes back to where it was, or is given up, by the recoveries of its exception only.',
  },
  'task.http.recover.reviewed': {
    source: 'decision',
    behavior:
      'An agent’s recovery of an operational task waits for an operator; an operator’s own, and a synthetic task’s, does not.',
  },
  'task.http.recover.own': {
    source: 'decision',
    behavior: 'A request is about the exception that it names: approved after that one is over, it moves nothing.',
  },
  'task.http.replay': {
    source: 'endpoints.md § 24',
    behavior:
      'Exception ticket, recovery request, replay package, back to resume_state: the package verifies offline, and so does the result.',
  },
  'task.http.replay.ready': {
    source: 'decision',
    behavior: 'A task has a replay package once something stopped it or it has a result; before, 409 not_ready.',
  },
  'task.http.receipts': {
    source: 'tasks.md § Exceptions and recovery',
    behavior: 'Every act of an operator on a stopped task gives a signed receipt with the operator’s name.',
  },
  'task.exception.own-move': {
    source: 'tasks.md § The workflow',
    behavior:
      'A move of the service’s own that is refused for good stops the task by an exception with its cause, and is made again by a recovery.',
  },
  'task.exception.run': {
    source: 'tasks.md § The workflow',
    behavior:
      'A step that fails for good, a refused input, rounds without end, a refusal of the review and a run that is ended by hand each open their exception, and each is brought home.',
  },
  'recover.cli.tasks': {
    source: 'tasks.md § Exceptions and recovery',
    behavior:
      'recover lists what is stuck by search attributes and rows, explains tasks and runs, and acts on them as over HTTP.',
  },
  'recover.cli.all': {
    source: 'tasks.md § Exceptions and recovery',
    behavior: 'recover acts on all that --where says; --dry-run only lists them, and one that refuses stops no other.',
  },
  'recover.cli.receipts': {
    source: 'tasks.md § Exceptions and recovery',
    behavior: 'Each act at the command line gives a signed receipt with operator and reason, a wake too.',
  },
  'task.http.review': {
    source: 'endpoints.md § 17',
    behavior:
      'An operator’s decision lets a paid task begin or fail, and ends the review of its run, with a signed receipt.',
  },
  'task.http.out-of-turn': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'An act out of turn answers 409 wrong_state and names the events allowed; it changes nothing.',
  },
  'agent-use.pack': {
    source: 'agent-commerce § Resources and fields',
    behavior:
      'agent-use has its eight modes and no other; the pack names them with a body for each that its schema takes.',
  },
  'agent-use.start': {
    source: 'endpoints.md § 2',
    behavior:
      'start_agent_run begins one task for a key, agreed, quoted and asked credit for; unpaid it is a 402, paid it goes on.',
  },
  'agent-use.end-to-end': {
    source: 'agent-commerce § Resources and fields',
    behavior: 'On a whole stack both rails go from start_agent_run, paid and reviewed, to a package that is verified.',
  },
  'work-order.intake': {
    source: 'endpoints.md § 19',
    behavior:
      'A work order of anybody is queued with its tasks, once for a key, and read by its token or its agent alone.',
  },
  'work-order.review': {
    source: 'endpoints.md § 19',
    behavior: 'Nothing of an order is executed before an operator approves it; rejected, its tasks are over.',
  },
  'work-order.worked-off': {
    source: 'endpoints.md § 22.3',
    behavior: 'An approved order is paid by its quote and worked off by its tasks: operating, delivered, completed.',
  },
  'agent-use.status': {
    source: 'endpoints.md § 11',
    behavior: 'A run is read by its owner alone, before it begins too; with wait_ms the answer comes when it moves.',
  },
  'agent-use.package': {
    source: 'endpoints.md § 11',
    behavior:
      'The package of an attested run is fetched as JSON and as zip, the same each time, and strangers verify it.',
  },
  'agent-use.receipt': {
    source: 'endpoints.md § 11',
    behavior: 'A receipt of the run is acknowledged by a signed receipt once; one that is not accepted stops the task.',
  },
  'agent-use.runs': {
    source: 'endpoints.md § 11',
    behavior: 'An agent lists its own runs, the newest first, by state and rail.',
  },
  'task.http.out-of-turn.table': {
    source: 'tasks.md § Task lifecycle',
    behavior:
      'In every state in which a task rests, every operation whose event is out of turn is 409 wrong_state naming the events allowed, and moves nothing.',
  },
  'task.http.unknown': {
    source: 'api-conventions § Access kinds',
    behavior: 'Every operation that takes a task’s token answers 404 for one that nobody was given.',
  },
  'task.http.read': {
    source: 'endpoints.md § 10',
    behavior:
      'The task’s token reads its ledger, status and exceptions; unknown ones are 404, operators may name the task’s id.',
  },
  'task.state.list': {
    source: 'agent-commerce § States and transitions',
    behavior: 'A task has the 21 documented states and no other.',
  },
  'task.state.table': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Every pair of the 21 states and all events moves as the table says or is refused.',
  },
  'task.state.refused': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'A refused event is 409 wrong_state and names the events allowed now.',
  },
  'task.exception.resume': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'An exception keeps resume_state, and a replay leads back to it.',
  },
  'task.lapse.resume': {
    source: 'decision',
    behavior: 'A lapsed quote resumes at trusted and a lapsed credit at quoted, where a new one can be had.',
  },
  'task.records': {
    source: 'endpoints.md § 22.7',
    behavior:
      'Each row says which of the 15 runtime record kinds it is; the ledger of a finished task lists the records behind it by kind.',
  },
  'task.ledger.chain': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Each move is an entry that carries the digest of the one before; any change of a ledger is told.',
  },
  'task.exception.codes': {
    source: 'endpoints.md § 22.4',
    behavior: 'Every exception has a code and the recoveries that it allows.',
  },
  'task.state.guarded-in-sql': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'SQL typed by hand moves a task only by the next entry of its ledger, along the state table.',
  },
  'task.event.once': {
    source: 'tasks.md § The workflow',
    behavior: 'A repeated event id returns what was recorded, also in parallel; it stands for one event only.',
  },
  'task.moves.own': {
    source: 'endpoints.md § 24',
    behavior: 'What follows from an event by itself is recorded with it, up to where the task waits for somebody.',
  },
  'task.preflight': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'The preflight checks rail, sizes and callback; what fails it is closed with the reasons.',
  },
  'task.callback': {
    source: 'tasks.md § Callbacks',
    behavior:
      'A task with a callback URL tells it before it closes; a delivery given up or refused by 410 is a callback_failed exception, which a redelivery brings home.',
  },
  'self-serve.submit': {
    source: 'endpoints.md § 11',
    behavior:
      'An agent submits the input of an agreed run, announced by its digests; the run begins by itself once credit, input and review are there.',
  },
  'self-serve.read': {
    source: 'endpoints.md § 11',
    behavior: 'The loop is read as a contract, and with a run id as that run with the criteria that it has met.',
  },
  'task.trust': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Trust is granted at once to an agent that is trusted already; another waits for an operator.',
  },
  'task.contract': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'The agent accepts the digest of the contract’s own terms.',
  },
  'task.review': {
    source: 'agent-commerce § What the service does',
    behavior: 'Review is required before work; the sandbox’s own decision covers synthetic runs only.',
  },
  'task.input.announced': {
    source: 'endpoints.md § 11',
    behavior: 'The input of a run is one that its preflight announced.',
  },
  'task.lapse': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Contract and quote lapse after 24 hours, a challenge after 60 minutes and never past its quote.',
  },
  'task.slots': {
    source: 'tasks.md § The workflow',
    behavior:
      'Runs of an agent and of a rail at once are limited over all processes; a free slot wakes who waits longest.',
  },
  'task.fair': {
    source: 'tasks.md § The workflow',
    behavior:
      'Many queued runs of one agent do not starve another’s; dispatched steps carry their agent as fairness key.',
  },
  'task.workflow': {
    source: 'tasks.md § The workflow',
    behavior: 'A task runs from submission to attestation as one workflow with its run as a child, and replays.',
  },
  'task.picked-up': {
    source: 'tasks.md § The workflow',
    behavior: 'A task whose workflow is gone is picked up from its row by a new one, in any state.',
  },
  'task.evidence': {
    source: 'tasks.md § Task lifecycle',
    behavior:
      'Where the caller wants to be asked, gaps wait for evidence or for a waiver that marks the result partial.',
  },
  'task.exception.activity': {
    source: 'tasks.md § The workflow',
    behavior: 'An activity that runs out of retries opens an exception and never fails the workflow.',
  },
  'task.kill-worker': {
    source: 'tasks.md § The workflow',
    behavior: 'A worker that is lost after any commit leaves no transition twice and an intact chain.',
  },
  'task.kill-parts': {
    source: 'tasks.md § The workflow',
    behavior: 'Postgres or Temporal killed at seeded moves lose no task, and each move is made once.',
  },
  'task.renewed': {
    source: 'tasks.md § The workflow',
    behavior: 'A long task continues as new, with no handler under way and no child open, and loses nothing.',
  },
  'task.terminated': {
    source: 'decision',
    behavior:
      'A task that goes on by itself, and whose workflow was terminated by hand, is picked up again by the sweep.',
  },
  'task.kill-api': {
    source: 'tasks.md § The workflow',
    behavior:
      'The API killed at a call that moves a task loses nothing: the call is repeated, and its move is made once.',
  },
  'task.kill-books': {
    source: 'tasks.md § Money',
    behavior:
      'Whatever is killed, the credit of each task is set aside, used and given back once, and the books balance.',
  },
  'task.events.known': {
    source: 'decision',
    behavior: 'An update with an unknown event is rejected by its validator and leaves no trace.',
  },
  'run.review': {
    source: 'tasks.md § The workflow',
    behavior: 'The review step waits for an operator’s decision: approve, revise or reject.',
  },
  'run.heartbeat': {
    source: 'decision',
    behavior:
      'A step of a run tells that it lives for as long as it takes; that of a killed worker goes to another soon.',
  },
  'run.loop.guarded-in-sql': {
    source: 'decision',
    behavior: 'The database stores the steps of a loop in their order, each once.',
  },
  'run.loop.order': {
    source: 'agent-commerce § Resources and fields',
    behavior: 'The nine steps of the controlled loop follow each other in their order.',
  },
  'run.loop.rounds': {
    source: 'tasks.md § The workflow',
    behavior: 'The revision loop has at most three rounds.',
  },

  // Sequences of agent-commerce.md, each end to end.
  'sequence.self-onboarding': {
    source: 'agent-commerce § States and transitions',
    behavior: 'Self-onboarding runs in its order over HTTP, and the status URL tells each step once it is done.',
  },
  'sequence.reference-run': {
    source: 'agent-commerce § States and transitions',
    behavior: 'The full reference run of tokenops runs in its order over HTTP, each step proven to a stranger.',
  },
  'sequence.provider-activation': {
    source: 'agent-commerce § States and transitions',
    behavior:
      'A provider’s signed event funds a run, which goes on to its result and its callback, in the order given.',
  },
  'stack.once-task': {
    source: 'overview § The stack, embedded by default',
    behavior: 'npm start drives a task to its end over HTTP and shows its ledger, run, package and offline replay.',
  },
} as const
