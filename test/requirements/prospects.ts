/** Requirements on prospects, their sprint and their packs: id → source and behavior. */
export const prospectRequirements = {
  'prospect.sprint': {
    source: 'prospects § Sprint',
    behavior:
      'The sprint counts messages, qualified conversations and paid runs from the records since it began; a summary signs these numbers, and a close begins the next sprint.',
  },
  'prospect.moves': {
    source: 'prospects § Prospects',
    behavior:
      'Operators move a prospect step by step, each move is kept, a message counts once, and callers see numbers alone.',
  },
  'prospect.records': {
    source: 'prospects § Prospects',
    behavior:
      'Each state rests on a record: a message with channel and time, what the prospect wrote, and the invitation by which it is offered a pilot; SQL refuses a state without it.',
  },
  'prospect.converted': {
    source: 'decision',
    behavior:
      'A prospect has converted while a completed operational run of its agent, for its account, has a verified payment; no call records a paid state.',
  },
  'prospect.pilot': {
    source: 'prospects § Prospects',
    behavior:
      'The checkout that activates the pilot of an invitation binds the prospect that was invited to the agent and the account of the client, once and in the same transaction, as an entry of its history that a paid state cites: the paid runs of the pilot then count in the sprint and convert the prospect. A prospect that is bound, and an agent and account that are those of another, stay as they are.',
  },
  'prospect.next-step': {
    source: 'prospects § Paid next step',
    behavior:
      'An operator offers a paid next step only after work was delivered; the offer is a quote of the agent, and the pack shows as ready or converted what offers, payments and runs make so.',
  },
  'prospect.refunded': {
    source: 'decision',
    behavior:
      'An offer counts while it can be paid or its payment is verified: a refund takes it back, and a dispute does so until it is upheld. Another step can be offered after a refund, and not while a payment is disputed.',
  },
  'prospect.outreach': {
    source: 'prospects § Outreach pack',
    behavior:
      'The outreach pack is made from the rail, its prices, its sample and the state of the prospect, and changes with each; it lists the open invitations of the prospect without their tokens, and it keeps and sends nothing.',
  },
} as const
