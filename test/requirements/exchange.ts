/** Requirements on the exchange of work orders: id → source and behavior. */
export const exchangeRequirements = {
  'exchange.open': {
    source: 'runs § Exchange',
    behavior:
      'An order that was put on the exchange is listed once it is approved and paid, without the name and contact of its requester, and its run does not begin before its deadline.',
  },
  'exchange.claim': {
    source: 'runs § Exchange',
    behavior: 'Of 100 claims of an order at once one is held, and every other agent gets 409.',
  },
  'exchange.refused': {
    source: 'runs § Exchange',
    behavior:
      'A claim needs the scope exchange:write, a live key of a trusted agent and another account than that of the requester; SQL refuses it as well.',
  },
  'exchange.release': {
    source: 'decision',
    behavior:
      'A claim that its agent releases opens the order to others; an agent claims an order once, and reads its input only while it holds it.',
  },
  'exchange.delivery': {
    source: 'decision',
    behavior:
      'A delivery has to hash to its digests and pass every check of the validator of its rail; it is then the worker step of the run, and its review makes it the result.',
  },
  'exchange.rejected': {
    source: 'decision',
    behavior:
      'A delivery that the review rejects stops the run; a replay is the work of the service itself.',
  },
  'exchange.bounds': {
    source: 'decision',
    behavior:
      'The public list of open orders counts up to 1,000 and reads pages from an offset of at most 999.',
  },
  'exchange.timer': {
    source: 'runs § Exchange',
    behavior:
      'A claim ends in time by the timer of the workflow of its order, although worker and Temporal were killed meanwhile; after the deadline the service does the work.',
  },
} as const
