/** Requirements on the controlled operating loops: id → source and behavior. */
export const loopRequirements = {
  'loop.start': {
    source: 'loops § Controlled operating loops',
    behavior:
      'POST /api/controlled-operating-loops starts a run of any current rail behind the write gate; it waits for its payment and its reviews as every run.',
  },
  'loop.free': {
    source: 'loops § Controlled operating loops',
    behavior:
      'A run of a rail without a price has a quote of zero of its own; GET counts the runs at each step and shows its agent each step with the digest of what it put out.',
  },
  'loop.refused': {
    source: 'loops § Controlled operating loops',
    behavior:
      'A future rail is 403 rail_not_allowed; a priced run without a quote and a free one with a quote or funding are 400.',
  },
  'loop.manifest': {
    source: 'loops § Packet manifest loop',
    behavior:
      'A started packet run has the manifest of its input at once, computed within the limits of public work; with manifest_only an item with content is 422 input_rejected.',
  },
  'loop.product': {
    source: 'loops § Product to proof loop',
    behavior:
      'The seven stages of a diligenceops run follow its records; once it closes, a commerce proof of its package is evaluated without a call, also after a restart of the worker.',
  },
  'loop.card': {
    source: 'loops § Product to proof loop',
    behavior:
      'The stage of the product card is held while the service is paused or its page is not live, and done with the address that sells it otherwise.',
  },
  'loop.audit': {
    source: 'loops § Audit pack',
    behavior:
      'The pack holds the decisions of a filter, the last first, with their loops, ledger heads and receipts; its signature is over the digest of all of it, and only operators read it.',
  },
  'pilot.example': {
    source: 'loops § Controlled pilots',
    behavior:
      'The example of each controlled pilot has an input that its rail reads and a scope of its own rail, so that it can be sent with a quote of the caller.',
  },
  'pilot.named': {
    source: 'loops § Controlled pilots',
    behavior:
      'A controlled pilot may name an activated pilot of its agent, of the same rail and tier: its chain begins that pilot, once, instead of making one.',
  },
  'pilot.chain': {
    source: 'loops § Controlled pilots',
    behavior:
      'The seven steps of a controlled pilot are taken in their order; all of them make a running pilot with run, order and audit event, and the first that fails is the refusal, with the chain so far as its audit event. The tool scope holds the rail and what the access key grants, and nothing else.',
  },
  'pilot.key': {
    source: 'loops § Controlled pilots',
    behavior:
      'A live key without the scope or the rail of a controlled pilot is refused by the step auth_validation, with the chain as an audit event; it neither repeats nor continues the call of a key that has both. Any other rail in the tool scope is refused by name.',
  },
  'pilot.begin': {
    source: 'loops § Runtime runs',
    behavior:
      'An operator begins a paid pilot by one recorded decision about its evidence; an unpaid one is 409, and a repeat finds the decision.',
  },
  'pilot.grant': {
    source: 'loops § Runtime runs',
    behavior:
      'With the same decision an operator grants the credit of an unpaid run of one unit: its challenge ends, its settlement receipt names the decision, it brings in no revenue and no fee, and it does not count as paid.',
  },
  'pilot.trial': {
    source: 'loops § Runtime runs',
    behavior:
      'A synthetic run tries a pilot out on its stored input or another, at most 20 times: labelled so, with sandbox credit alone and a receipt, and the pilot stays as it is.',
  },
  'pilot.replace': {
    source: 'decision',
    behavior:
      'Another input for the own run of a pilot begins nothing: it stops the run, and the agent accepts the input first.',
  },
} as const
