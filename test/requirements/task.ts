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
      'Each operation that requests or brings money advances its task: contract-accept, agent-quote, create-payment-challenge, payments, credits, provider events and reviews.',
  },
  'task.money.chain': {
    source: 'tasks § Money of a task',
    behavior:
      'On a whole stack, a stablecoin payment on chain and an x402 payment over HTTP each take a task from its contract to its end, with an intact ledger and balanced postings.',
  },
  'task.money.mismatch': {
    source: 'tasks § Money of a task',
    behavior:
      'A payment of a wrong amount never becomes part of a credit. Its task stops, an operator decides, and a correct payment resolves the exception.',
  },
  'task.money.healed': {
    source: 'tasks § Money of a task',
    behavior:
      'Money is recorded before its task is notified. The sweep of the workers notifies tasks that a crash left behind.',
  },
  'task.money.synthetic': {
    source: 'tasks § Money of a task',
    behavior:
      'A synthetic run uses sandbox credit. Its receipts say synthetic, and its postings stay in separate accounts, in SQL as well.',
  },
  'task.money.late': {
    source: 'tasks § Money of a task',
    behavior:
      'Money that comes after a lapse funds its credit, and the task continues by itself. For a finished task it is returned.',
  },
  'task.money.ended': {
    source: 'tasks § Money of a task',
    behavior:
      'No wallet and no signed payment pays for a run that has failed or closed: its credit ends in the transaction of the failure, and a payment is presented under the lock of that credit, in SQL as well. What was paid elsewhere is recorded and returned.',
  },
  'task.money.return': {
    source: 'tasks § Money of a task',
    behavior:
      'Unused credit of a failed or abandoned task is returned once, in the transaction in which it fails.',
  },
  'task.money.delivered': {
    source: 'decision',
    behavior:
      'A result is delivered with its receipts: an attested result that is not charged yet is not read, and its agent abandons it only with a decision.',
  },
  'task.money.reversed': {
    source: 'tasks § Money of a task',
    behavior:
      'A payment that is taken back stops its task with payment_reversed, and the revenue from it is taken back.',
  },
  'task.money.claim': {
    source: 'tasks § Money of a task',
    behavior:
      'Credit is reserved for a task of the same rail, tier and kind. Another quote can replace the reserved one until one is paid.',
  },
  'task.money.never-twice': {
    source: 'tasks § Money of a task',
    behavior:
      'With 100 parallel runs of one entitlement, no credit is spent twice and the balance never falls below zero.',
  },
  'task.http.begin': {
    source: 'tasks § Contract',
    behavior:
      'Over HTTP an agent begins a task, prepares its contract, and accepts it with its registered key.',
  },
  'task.http.recover': {
    source: 'tasks § Recovery',
    behavior:
      'A stopped task returns to its state or is abandoned only by the recoveries of its exception.',
  },
  'task.http.recover.reviewed': {
    source: 'tasks § Recovery',
    behavior:
      'A recovery by the agent of an operational task waits for an operator. A recovery by an operator, or of a synthetic task, does not wait.',
  },
  'recovery.patch': {
    source: 'tasks § Recovery',
    behavior:
      'A recovery changes the input of its task by a JSON Patch (RFC 6902: add, remove, replace, test) instead of sending the whole. An operation that does not fit is 422 and named, and changes nothing.',
  },
  'task.http.recover.own': {
    source: 'tasks § Recovery',
    behavior:
      'A recovery request concerns only the exception that it names. If it is approved after that exception is over, it changes nothing.',
  },
  'task.http.replay': {
    source: 'tasks § Replay package',
    behavior:
      'An exception leads to a recovery request, a replay package and back to resume_state. The package and the result verify offline.',
  },
  'task.http.replay.ready': {
    source: 'tasks § Replay package',
    behavior:
      'A task has a replay package after it was stopped or has a result. Before that, the response is 409 not_ready.',
  },
  'task.http.receipts': {
    source: 'tasks § Recovery',
    behavior:
      'Every action of an operator on a stopped task has a signed receipt with the operator’s name.',
  },
  'task.exception.own-move': {
    source: 'tasks § Exceptions',
    behavior:
      'An automatic transition that is finally refused stops the task with an exception and its cause. A recovery repeats the transition.',
  },
  'task.exception.run': {
    source: 'tasks § Task workflow',
    behavior:
      'A step that fails finally, a refused input, too many rounds, a rejected review and a run that an operator ended each open their exception, and each can be resolved.',
  },
  'recover.cli.tasks': {
    source: 'tasks § Recovery',
    behavior:
      'The recover command lists stuck work by search attributes and rows, explains tasks and runs, and has the same effect as the API.',
  },
  'recover.cli.all': {
    source: 'tasks § Recovery',
    behavior:
      'The recover command acts on everything that --where selects. With --dry-run it only lists. A refusal of one does not stop the others.',
  },
  'recover.cli.receipts': {
    source: 'tasks § Recovery',
    behavior:
      'Each recovery command has a signed receipt with the operator and the reason, including a wake.',
  },
  'task.http.review': {
    source: 'tasks § Review before work',
    behavior:
      'The decision of an operator starts or fails a paid task and ends the review of its run, with a signed receipt.',
  },
  'task.http.out-of-turn': {
    source: 'tasks § Transitions',
    behavior:
      'A command that the state does not allow returns 409 wrong_state, names the allowed events and changes nothing.',
  },
  'agent-use.pack': {
    source: 'runs § Agent use',
    behavior:
      'The operation agent-use has exactly its eight modes. Its pack shows a valid body for each.',
  },
  'agent-use.start': {
    source: 'runs § Agent use',
    behavior:
      'One start_agent_run with a key begins one task: its contract is accepted, it has a quote, and credit is requested. Without payment it returns 402; with payment it continues.',
  },
  'agent-use.end-to-end': {
    source: 'runs § Agent use',
    behavior:
      'On a whole stack, both rails complete a run from start_agent_run through payment and review to a verified package.',
  },
  'work-order.intake': {
    source: 'runs § Work orders',
    behavior:
      'A public work order is queued with its tasks, once for a key. Only its token or its agent reads it.',
  },
  'work-order.review': {
    source: 'runs § Work orders',
    behavior:
      'No work of an order begins before an operator approves the order. A rejection ends its tasks.',
  },
  'work-order.worked-off': {
    source: 'runs § Work orders',
    behavior:
      'An approved order is paid by its quote and completed by its tasks: operating, delivered, completed. It has failed once all are closed and one has no result, and then waits for no decision.',
  },
  'work-order.runs': {
    source: 'runs § Agent use',
    behavior:
      'The token of a work order reads the runs of that order and their packages, as its next action says, and no other run of its agent.',
  },
  'work-order.consent': {
    source: 'runs § Work orders',
    behavior:
      'A corrected input that an operator proposes for an order is used only once the holder of its token accepts exactly it. Ledger, receipt and replay package name both digests.',
  },
  'agent-use.status': {
    source: 'runs § Agent use',
    behavior:
      'Only the owner of a run can read it, also before it begins. With wait_ms the response comes at the next change.',
  },
  'agent-use.package': {
    source: 'runs § Agent use',
    behavior:
      'The package of an attested run is available as JSON and as zip, is always the same, and verifies with third-party tools.',
  },
  'agent-use.package.receipt': {
    source: 'runs § Agent use',
    behavior:
      'The answer with the package names where the receipt of the run is fetched, judged and accepted.',
  },
  'agent-use.receipt': {
    source: 'runs § Agent use',
    behavior:
      'A receipt of the run is acknowledged once by a signed receipt, also by calls at once: one is taken, and each other is 409 already_exists. A receipt that does not accept the result stops the task.',
  },
  'agent-use.runs': {
    source: 'runs § Agent use',
    behavior: 'An agent lists its own runs by state and rail, newest first.',
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
      'The token of a task reads its ledger, status and exceptions. An unknown token returns 404. Operators may name the task by its id.',
  },
  'task.state.list': {
    source: 'tasks § States',
    behavior: 'A task has the 21 documented states and no other.',
  },
  'task.state.table': {
    source: 'tasks § Transitions',
    behavior:
      'For each of the 21 states and each event, a task changes state along the table, or the event is refused.',
  },
  'task.state.refused': {
    source: 'tasks § Transitions',
    behavior: 'A refused event returns 409 wrong_state with the events allowed now.',
  },
  'task.exception.holder': {
    source: 'tasks § Exceptions',
    behavior:
      'The holder of a task states a dispute or a gap of evidence. The other reasons are findings of the service, its operators and providers: 403 scope_denied.',
  },
  'task.exception.resume': {
    source: 'tasks § Exceptions',
    behavior: 'An exception keeps resume_state, and a replay leads back to it.',
  },
  'task.gap-ticket': {
    source: 'decision',
    behavior:
      'A run that waits in evidence_partial has an open evidence_gap ticket without a state to return to, and a replay package. A supply is a recovery request that resolves the ticket, a waiver resolves it, and abandoning the task abandons it. What such a ticket allows is supply_evidence; an exception raised meanwhile stops the task as well.',
  },
  'task.dispute-closed': {
    source: 'decision',
    behavior:
      'An agent disputes a receipt of a closed task too: the task stays closed, and its one dispute is a caller_dispute exception without a state to return to, in the attention list of operators until its agent or an operator ends it (recover, abandon), and the run waits for that. An acceptance does not end it.',
  },
  'task.lapse.resume': {
    source: 'tasks § Lapses',
    behavior:
      'A lapsed quote resumes at trusted, and a lapsed credit at quoted. A new one can then be issued.',
  },
  'task.records': {
    source: 'tasks § Record kinds',
    behavior:
      'Each row states its runtime record kind, one of 15. The ledger of a finished task lists its records, all or of one kind; the status of an agent and the usage ledger list theirs by kind.',
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
      'A repeated event id returns the recorded result, also in parallel. One event id identifies one event.',
  },
  'task.moves.own': {
    source: 'tasks § Ledger',
    behavior:
      'Automatic transitions are recorded with the event that causes them, up to the next state in which the task waits.',
  },
  'task.preflight': {
    source: 'tasks § Preflight',
    behavior:
      'The preflight checks the rail, the sizes and the callback. A task that fails it is closed with the reasons.',
  },
  'task.preflight.lengths': {
    source: 'tasks § Preflight',
    behavior:
      'An announced digest has the exact length of what it is of and stands there once; another length of a known input is refused.',
  },
  'task.callback': {
    source: 'callbacks § Redelivery',
    behavior:
      'A task with a callback URL sends a callback before it closes. A delivery that is given up or refused by 410 is a callback_failed exception, which a redelivery resolves.',
  },
  'self-serve.submit': {
    source: 'runs § Self-serve loop',
    behavior:
      'An agent submits the input of an agreed run, whose digests the preflight announced. The run begins by itself when credit, input and review are complete.',
  },
  'self-serve.read': {
    source: 'runs § Self-serve loop',
    behavior:
      'The self-serve loop can be read as a contract and, with a run id, as that run with the criteria that it meets.',
  },
  'task.trust': {
    source: 'tasks § Trust of a task',
    behavior:
      'Trust is granted at once to an agent that is already trusted. Another agent waits for an operator.',
  },
  'task.contract': {
    source: 'tasks § Contract',
    behavior: 'The agent accepts a contract by signing the digest of its terms.',
  },
  'task.review': {
    source: 'tasks § Review before work',
    behavior: 'Work needs a review. The sandbox policy decides synthetic runs only.',
  },
  'task.input.announced': {
    source: 'tasks § Contract',
    behavior: 'The input of a run must be one that its preflight announced.',
  },
  'task.lapse': {
    source: 'tasks § Lapses',
    behavior:
      'A contract and a quote lapse after 24 hours. A challenge lapses after 60 minutes and never later than its quote.',
  },
  'task.slots': {
    source: 'tasks § Slots and fairness',
    behavior:
      'Parallel runs of an agent and of a rail are limited over all processes. A free slot wakes the task that waited longest.',
  },
  'task.fair': {
    source: 'tasks § Slots and fairness',
    behavior:
      'Many queued runs of one agent do not block the runs of another. Each dispatched step has its agent as fairness key.',
  },
  'task.workflow': {
    source: 'tasks § Task workflow',
    behavior:
      'One workflow runs a task from submission to attestation, with its run as a child, and it replays.',
  },
  'task.picked-up': {
    source: 'tasks § Task workflow',
    behavior:
      'A new workflow continues a task whose workflow no longer exists, from its row and in any state.',
  },
  'task.evidence': {
    source: 'tasks § Evidence',
    behavior:
      'With on_gaps: ask, a task with gaps waits for evidence or for a waiver that marks the result partial.',
  },
  'task.exception.activity': {
    source: 'tasks § Exceptions',
    behavior:
      'An activity that runs out of retries opens an exception and never fails the workflow.',
  },
  'task.kill-worker': {
    source: 'tasks § Task workflow',
    behavior:
      'The loss of a worker after any commit repeats no transition and keeps the ledger intact.',
  },
  'task.kill-parts': {
    source: 'tasks § Task workflow',
    behavior:
      'When Postgres or Temporal is killed at random transitions, no task is lost and each transition is made once.',
  },
  'task.renewed': {
    source: 'tasks § Task workflow',
    behavior: 'A long task continues as new without an open handler or child and loses nothing.',
  },
  'task.terminated': {
    source: 'tasks § Task workflow',
    behavior: 'The sweep continues a task in an automatic state whose workflow was terminated.',
  },
  'task.kill-api': {
    source: 'tasks § Task workflow',
    behavior:
      'When the API is killed during a call that advances a task, nothing is lost. The call is repeated, and its transition is made once.',
  },
  'task.kill-books': {
    source: 'tasks § Task workflow',
    behavior:
      'Whichever process is killed, the credit of each task is reserved, used and returned once, and the books balance.',
  },
  'task.own-evidence': {
    source: 'decision',
    behavior:
      'SQL takes a result, its attestation and its charge into a ledger only with the package, the receipt of the run and the receipt of the credit of that task, and the name of an operator only with a decision, request or call of this operator.',
  },
  'task.transport': {
    source: 'tasks § Task workflow',
    behavior:
      'No message to a workflow carries an event of a task. With a client of Temporal alone, no task is funded, approved or moved otherwise than its rows allow, and no ledger names an operator who did not act.',
  },
  'run.review': {
    source: 'runs § Controlled loop',
    behavior: 'A run waits at its review step for the decision of an operator: approve or reject.',
  },
  'run.heartbeat': {
    source: 'runs § Isolation',
    behavior:
      'A step of a run sends heartbeats while it works. The step of a killed worker moves to another worker soon.',
  },
  'run.loop.own-decision': {
    source: 'runs § Controlled loop',
    behavior:
      'SQL stores who decided a step only with the decision of that operator about that run, or for a run of the sandbox policy.',
  },
  'run.loop.guarded-in-sql': {
    source: 'runs § Controlled loop',
    behavior: 'SQL stores the steps of a loop in their order, each once.',
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
      'Self-onboarding follows its documented order over HTTP. The status URL shows each finished step.',
  },
  'sequence.reference-run': {
    source: 'tasks § Sequences',
    behavior:
      'The full reference run of tokenops follows its documented order over HTTP. A third party can verify each step.',
  },
  'sequence.provider-activation': {
    source: 'tasks § Sequences',
    behavior:
      'A signed provider event funds a run, which continues to its result and its callback in the documented order.',
  },
  'sequence.exception-recovery': {
    source: 'tasks § Sequences',
    behavior:
      'A paid run that is paused or fails becomes an exception ticket, a recovery request and a replay package, and comes back to its result without a second payment.',
  },
  'stack.once-task': {
    source: 'stack § Start',
    behavior:
      'The demo of npm start completes a task over HTTP and shows its ledger, run, package and offline replay.',
  },
} as const
