/** What tasks and their runs owe; part of `requirements.ts`. */
export const taskRequirements = {
  'task.money.bound': {
    source: 'tasks § Money of a task',
    behavior:
      'Quote, challenge, settlement and usage receipt move a task from trusted to receipt_issued. Each is stored before the task is notified, and the usage receipt names the result contract.',
  },
  'task.money.http': {
    source: 'tasks § Money of a task',
    behavior:
      'Each operation that requests or brings money advances its task: contract-accept, agent-quote, create-payment-challenge, payments, credits, provider events, reviews.',
  },
  'task.money.chain': {
    source: 'tasks § Money of a task',
    behavior:
      'On a whole stack, stablecoins on the chain and x402 over HTTP take a task from its contract to its end, with a whole ledger and postings that add up.',
  },
  'task.money.mismatch': {
    source: 'tasks § Money of a task',
    behavior:
      'A payment of a wrong amount is never part of a credit: its task is stopped, an operator decides, and the right payment resolves it.',
  },
  'task.money.healed': {
    source: 'tasks § Money of a task',
    behavior:
      'Money is recorded before its task is notified. The sweep of the workers finds what died in between.',
  },
  'task.money.synthetic': {
    source: 'tasks § Money of a task',
    behavior:
      'A synthetic run uses credit of the sandbox: its receipts say synthetic, and its postings keep to accounts of their own, in SQL too.',
  },
  'task.money.late': {
    source: 'tasks § Money of a task',
    behavior:
      'Money that comes after a lapse funds its credit, and the task continues by itself. For a finished task it is returned.',
  },
  'task.money.return': {
    source: 'tasks § Money of a task',
    behavior:
      'Credit that a failed or abandoned task did not use is returned when it is closed, once.',
  },
  'task.money.reversed': {
    source: 'tasks § Money of a task',
    behavior:
      'A payment that is taken back stops its task with payment_reversed; what was earned by it goes back.',
  },
  'task.money.claim': {
    source: 'tasks § Money of a task',
    behavior:
      'Credit is reserved for a task of the same rail, tier and kind. Another quote takes its place until one is paid.',
  },
  'task.money.never-twice': {
    source: 'tasks § Money of a task',
    behavior:
      'Credit is never spent twice nor below zero under 100 parallel runs of one entitlement.',
  },
  'task.http.begin': {
    source: 'tasks § Contract',
    behavior:
      'Over HTTP an agent begins a task, prepares its contract, and accepts it with its registered key.',
  },
  'task.http.recover': {
    source: 'tasks § Recovery',
    behavior:
      'A stopped task returns to its state, or is abandoned, by the recoveries of its exception only.',
  },
  'task.http.recover.reviewed': {
    source: 'tasks § Recovery',
    behavior:
      'An agent’s recovery of an operational task waits for an operator; an operator’s own, and a synthetic task’s, does not.',
  },
  'task.http.recover.own': {
    source: 'tasks § Recovery',
    behavior:
      'A request is about the exception that it names: approved after that one is over, it moves nothing.',
  },
  'task.http.replay': {
    source: 'tasks § Replay package',
    behavior:
      'Exception ticket, recovery request, replay package, back to resume_state: the package verifies offline, and so does the result.',
  },
  'task.http.replay.ready': {
    source: 'tasks § Replay package',
    behavior:
      'A task has a replay package once something stopped it or it has a result; before, 409 not_ready.',
  },
  'task.http.receipts': {
    source: 'tasks § Recovery',
    behavior:
      'Every action of an operator on a stopped task has a signed receipt with the operator’s name.',
  },
  'task.exception.own-move': {
    source: 'tasks § Exceptions',
    behavior:
      'An automatic transition that is refused for good stops the task by an exception with its cause, and a recovery repeats it.',
  },
  'task.exception.run': {
    source: 'tasks § Task workflow',
    behavior:
      'A step that fails for good, a refused input, rounds without end, a rejected review and a run that an operator ended each open their exception, and each is resolved.',
  },
  'recover.cli.tasks': {
    source: 'tasks § Recovery',
    behavior:
      'recover lists stuck work by search attributes and rows, explains tasks and runs, and acts on them as over HTTP.',
  },
  'recover.cli.all': {
    source: 'tasks § Recovery',
    behavior:
      'recover acts on everything that --where selects. --dry-run only lists, and one refusal stops no other.',
  },
  'recover.cli.receipts': {
    source: 'tasks § Recovery',
    behavior: 'Each command has a signed receipt with operator and reason, a wake included.',
  },
  'task.http.review': {
    source: 'tasks § Review before work',
    behavior:
      'An operator’s decision lets a paid task begin or fail, and ends the review of its run, with a signed receipt.',
  },
  'task.http.out-of-turn': {
    source: 'tasks § Transitions',
    behavior:
      'A command that the state does not allow returns 409 wrong_state, names the allowed events and changes nothing.',
  },
  'agent-use.pack': {
    source: 'runs § Agent use',
    behavior:
      'agent-use has its eight modes and no other; the pack names them with a body for each that its schema takes.',
  },
  'agent-use.start': {
    source: 'runs § Agent use',
    behavior:
      'start_agent_run begins one task for a key: contract agreed, quoted, credit requested. Unpaid it returns 402; paid it continues.',
  },
  'agent-use.end-to-end': {
    source: 'runs § Agent use',
    behavior:
      'On a whole stack both rails go from start_agent_run, paid and reviewed, to a package that is verified.',
  },
  'work-order.intake': {
    source: 'runs § Work orders',
    behavior:
      'A public work order is queued with its tasks, once for a key. Only its token or its agent reads it.',
  },
  'work-order.review': {
    source: 'runs § Work orders',
    behavior:
      'Nothing of an order is executed before an operator approves it. When it is rejected, its tasks end.',
  },
  'work-order.worked-off': {
    source: 'runs § Work orders',
    behavior:
      'An approved order is paid by its quote and completed by its tasks: operating, delivered, completed.',
  },
  'agent-use.status': {
    source: 'runs § Agent use',
    behavior:
      'Only its owner reads a run, also before it begins. With wait_ms the answer comes at the next change.',
  },
  'agent-use.package': {
    source: 'runs § Agent use',
    behavior:
      'The package of an attested run is available as JSON and as zip, the same each time, and strangers verify it.',
  },
  'agent-use.receipt': {
    source: 'runs § Agent use',
    behavior:
      'A receipt of the run is acknowledged by a signed receipt once; one that is not accepted stops the task.',
  },
  'agent-use.runs': {
    source: 'runs § Agent use',
    behavior: 'An agent lists its own runs, the newest first, by state and rail.',
  },
  'task.http.out-of-turn.table': {
    source: 'tasks § Transitions',
    behavior:
      'In every state in which a task waits, every operation whose event is not allowed returns 409 wrong_state with the allowed events and changes nothing.',
  },
  'task.http.unknown': {
    source: 'tasks § Reading a task',
    behavior:
      'Every operation that takes a task token returns 404 for a token that was never issued.',
  },
  'task.http.read': {
    source: 'tasks § Reading a task',
    behavior:
      'The task’s token reads its ledger, status and exceptions; unknown ones are 404, operators may name the task’s id.',
  },
  'task.state.list': {
    source: 'tasks § States',
    behavior: 'A task has the 21 documented states and no other.',
  },
  'task.state.table': {
    source: 'tasks § Transitions',
    behavior: 'Every pair of the 21 states and all events moves as the table says or is refused.',
  },
  'task.state.refused': {
    source: 'tasks § Transitions',
    behavior: 'A refused event is 409 wrong_state and names the events allowed now.',
  },
  'task.exception.resume': {
    source: 'tasks § Exceptions',
    behavior: 'An exception keeps resume_state, and a replay leads back to it.',
  },
  'task.lapse.resume': {
    source: 'tasks § Lapses',
    behavior:
      'A lapsed quote resumes at trusted and a lapsed credit at quoted, where a new one can be issued.',
  },
  'task.records': {
    source: 'tasks § Record kinds',
    behavior:
      'Each row says which of the 15 runtime record kinds it is; the ledger of a finished task lists the records behind it by kind.',
  },
  'task.ledger.chain': {
    source: 'tasks § Ledger',
    behavior:
      'Each transition is an entry with the digest of the entry before it. Any change of a ledger is detected.',
  },
  'task.exception.codes': {
    source: 'tasks § Exceptions',
    behavior: 'Every exception has a code and the recoveries that it allows.',
  },
  'task.state.guarded-in-sql': {
    source: 'tasks § Ledger',
    behavior:
      'Manual SQL moves a task only by the next entry of its ledger, along the state table.',
  },
  'task.event.once': {
    source: 'tasks § Ledger',
    behavior:
      'A repeated event id returns what was recorded, also in parallel. It identifies one event only.',
  },
  'task.moves.own': {
    source: 'tasks § Ledger',
    behavior:
      'Automatic transitions are recorded with the event that causes them, up to a state in which the task waits.',
  },
  'task.preflight': {
    source: 'tasks § Preflight',
    behavior:
      'The preflight checks rail, sizes and callback; what fails it is closed with the reasons.',
  },
  'task.callback': {
    source: 'callbacks § Redelivery',
    behavior:
      'A task with a callback URL sends a callback before it closes. A delivery that is given up or refused by 410 is a callback_failed exception, which a redelivery resolves.',
  },
  'self-serve.submit': {
    source: 'runs § Self-serve loop',
    behavior:
      'An agent submits the input of an agreed run, announced by its digests; the run begins by itself once credit, input and review are there.',
  },
  'self-serve.read': {
    source: 'runs § Self-serve loop',
    behavior:
      'The loop is read as a contract, and with a run id as that run with the criteria that it has met.',
  },
  'task.trust': {
    source: 'tasks § Trust of a task',
    behavior:
      'Trust is granted at once to an agent that is trusted already; another waits for an operator.',
  },
  'task.contract': {
    source: 'tasks § Contract',
    behavior: 'The agent accepts the digest of the contract’s own terms.',
  },
  'task.review': {
    source: 'tasks § Review before work',
    behavior:
      'Review is required before work; the sandbox’s own decision covers synthetic runs only.',
  },
  'task.input.announced': {
    source: 'tasks § Contract',
    behavior: 'The input of a run is one that its preflight announced.',
  },
  'task.lapse': {
    source: 'tasks § Lapses',
    behavior:
      'Contract and quote lapse after 24 hours, a challenge after 60 minutes and never past its quote.',
  },
  'task.slots': {
    source: 'tasks § Slots and fairness',
    behavior:
      'Parallel runs of an agent and of a rail are limited over all processes. A free slot wakes the task that waited longest.',
  },
  'task.fair': {
    source: 'tasks § Slots and fairness',
    behavior:
      'Many queued runs of one agent do not starve another’s; dispatched steps carry their agent as fairness key.',
  },
  'task.workflow': {
    source: 'tasks § Task workflow',
    behavior:
      'A task runs from submission to attestation as one workflow with its run as a child, and replays.',
  },
  'task.picked-up': {
    source: 'tasks § Task workflow',
    behavior: 'A task whose workflow is gone is continued from its row by a new one, in any state.',
  },
  'task.evidence': {
    source: 'tasks § Evidence',
    behavior:
      'Where the caller wants to be asked, gaps wait for evidence or for a waiver that marks the result partial.',
  },
  'task.exception.activity': {
    source: 'tasks § Exceptions',
    behavior:
      'An activity that runs out of retries opens an exception and never fails the workflow.',
  },
  'task.kill-worker': {
    source: 'tasks § Task workflow',
    behavior:
      'A worker that is lost after any commit leaves no transition twice and an intact chain.',
  },
  'task.kill-parts': {
    source: 'tasks § Task workflow',
    behavior:
      'Postgres or Temporal killed at seeded moves lose no task, and each move is made once.',
  },
  'task.renewed': {
    source: 'tasks § Task workflow',
    behavior:
      'A long task continues as new, with no handler under way and no child open, and loses nothing.',
  },
  'task.terminated': {
    source: 'tasks § Task workflow',
    behavior:
      'A task in an automatic state whose workflow was terminated is continued by the sweep.',
  },
  'task.kill-api': {
    source: 'tasks § Task workflow',
    behavior:
      'The API killed at a call that moves a task loses nothing: the call is repeated, and its move is made once.',
  },
  'task.kill-books': {
    source: 'tasks § Task workflow',
    behavior:
      'Whichever process is killed, the credit of each task is reserved, used and returned once, and the books balance.',
  },
  'task.events.known': {
    source: 'tasks § Task workflow',
    behavior: 'An update with an unknown event is rejected by its validator and leaves no trace.',
  },
  'run.review': {
    source: 'runs § Controlled loop',
    behavior: 'The review step waits for an operator’s decision: approve, revise or reject.',
  },
  'run.heartbeat': {
    source: 'runs § Isolation',
    behavior:
      'A step of a run sends heartbeats while it works. The step of a killed worker moves to another worker soon.',
  },
  'run.loop.guarded-in-sql': {
    source: 'runs § Controlled loop',
    behavior: 'The database stores the steps of a loop in their order, each once.',
  },
  'run.loop.order': {
    source: 'runs § Controlled loop',
    behavior: 'The nine steps of the controlled loop follow each other in their order.',
  },
  'run.loop.rounds': {
    source: 'runs § Controlled loop',
    behavior: 'The revision loop has at most three rounds.',
  },

  // Sequences of agent-commerce.md, each end to end.
  'sequence.self-onboarding': {
    source: 'tasks § Sequences',
    behavior:
      'Self-onboarding runs in its order over HTTP, and the status URL shows each finished step.',
  },
  'sequence.reference-run': {
    source: 'tasks § Sequences',
    behavior:
      'The full reference run of tokenops runs in its order over HTTP, each step proven to a stranger.',
  },
  'sequence.provider-activation': {
    source: 'tasks § Sequences',
    behavior:
      'A provider’s signed event funds a run, which continues to its result and its callback, in the documented order.',
  },
  'stack.once-task': {
    source: 'stack § Start',
    behavior:
      'The demo of npm start completes a task over HTTP and shows its ledger, run, package and offline replay.',
  },
} as const
