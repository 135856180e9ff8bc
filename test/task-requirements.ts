/** What tasks and their runs owe; part of `requirements.ts`. */
export const taskRequirements = {
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
    behavior: 'Each move is a lifecycle event with the records that belong to it; all 15 record kinds are written.',
  },
  'task.ledger.chain': {
    source: 'tasks.md § Task lifecycle',
    behavior: 'Each move is an entry that carries the digest of the one before; any change of a ledger is told.',
  },
  'task.exception.codes': {
    source: 'endpoints.md § 22.4',
    behavior: 'Every exception has a code and the recoveries that it allows.',
  },
  'run.loop.order': {
    source: 'agent-commerce § Resources and fields',
    behavior: 'The nine steps of the controlled loop follow each other in their order.',
  },
  'run.loop.rounds': {
    source: 'tasks.md § The workflow',
    behavior: 'The revision loop has at most three rounds.',
  },
} as const
