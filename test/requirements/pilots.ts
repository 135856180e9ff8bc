/** Requirements on pilots: id → source and behavior. */
export const pilotRequirements = {
  'pilots.intake': {
    source: 'pilots § Intake',
    behavior:
      'Any caller asks for a pilot of a rail with an operational price. It is stored once with a work order without a run and an intake receipt, and its token reads it with its description and desired start; a rail without such runs and a start in the past are refused.',
  },
  'pilots.account': {
    source: 'pilots § Intake',
    behavior:
      'An account of the client is named with the access key of its own agent alone: the pilot is then bound to that agent and that account, for its checkout and its run too.',
  },
  'pilots.review': {
    source: 'pilots § Review',
    behavior:
      'An operator approves or rejects a pilot that waits, as kind pilot, and its work order with it. The order alone cannot be decided, and neither is decided twice.',
  },
  'pilots.conversation': {
    source: 'pilots § Conversation',
    behavior:
      'Entries are chained by hashes, listed newest first with their total, and never change. The holder of the token adds messages, questions and answers to its own pilot; decisions, next steps and dates are an operator’s.',
  },
  'pilots.bounds': {
    source: 'decision',
    behavior:
      'A client adds 30 entries within a day and 150 in all, which leaves room for the operator, and calls with a token are limited by address and by token. A client address submits 5 intakes a day. At most 1000 wait, of which the oldest gives way after a day; after 30 days an undecided one is closed.',
  },
  'pilots.invitation': {
    source: 'pilots § Invitation',
    behavior:
      'An operator invites a client. The holder of the token reads the terms, accepts exactly them or declines once, with a receipt, and may ask before. The time of an invitation is at most 14 days; an ended one is 410.',
  },
  'pilots.checkout': {
    source: 'pilots § Checkout',
    behavior:
      'A checkout with the token of an accepted invitation, opened by the trusted agent that its quote of exactly the same rail, tier and price belongs to, activates the pilot once and binds it to that agent, with a receipt; an intake with the token gives the pilot its one work order.',
  },
  'pilots.run': {
    source: 'pilots § First run',
    behavior:
      'The agent of the client starts the one run of an activated pilot behind the production write gate; the pilot runs from that transaction on, is delivered when its run has a result, and no other agent reads or starts it.',
  },
  'pilots.order': {
    source: 'pilots § First run',
    behavior:
      'The work order of an intake is continued by the order of the run of its pilot: it names that order, has its run and its state, and the pilot names both.',
  },
  'pilots.paid': {
    source: 'pilots § Paid next step',
    behavior:
      'An offer after delivery makes a pilot ready for its paid next step; it has converted while a completed run of its client after that offer has a verified payment, and no longer once that is disputed or refunded; no call sets that state.',
  },
  'pilots.offer': {
    source: 'pilots § Offers',
    behavior:
      'The offers are those that the rails declare, with the prices of their tiers. A trusted agent launches one, and no other rail can be asked for: quote, open challenge and pilot are stored together, and an operator activates or closes it.',
  },
  'pilots.close': {
    source: 'pilots § Review',
    behavior:
      'An operator closes a pilot that has not ended, by a recorded decision with a reason; its run is abandoned with it and its credit is released, which is refused by 409 payment_pending while the outcome of a payment for it is unknown. A pilot whose run ends leaves running in the same transaction: delivered with a result, closed without one.',
  },
  'pilots.close.payment': {
    source: 'pilots § Review',
    behavior:
      'A payment that is presented while its pilot is closed is never lost: closing is refused until its outcome is known, or comes first, and then what is paid comes back to where it came from, or stays the credit of its agent where the quote is for other runs too. The pilot says which.',
  },
  'pilots.list': {
    source: 'pilots § List',
    behavior:
      'A controlled pilot is a pilot of its own source: one list shows operators the pilots of every source by rail, state, source, client or id, the newest first, and its token and its conversation are as those of every other pilot.',
  },
  'pilots.invitation-workflow': {
    source: 'pilots § Invitation',
    behavior:
      'The workflow pilot-<id> reminds the operators after half of the time, where the invitation then waits in the console, and ends it at its time, also when worker and Temporal were killed meanwhile. It gets one signal at most.',
  },
} as const
