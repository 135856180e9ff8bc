export const x402Requirements = {
  'x402.offer': {
    source: 'money § x402 offers',
    behavior:
      'A 402 response has the header PAYMENT-REQUIRED and a problem body whose accepts name x402 version 2, the scheme exact, eip155:8453 and 100000 atomic.',
  },
  'x402.paid': {
    source: 'money § x402 offers',
    behavior: 'The official x402 client can pay a call, and the payment settles on chain.',
  },
  'x402.strict-payload': {
    source: 'money § x402 offers',
    behavior:
      'A payment with permit2Authorization, an ERC-6492 wrapper or any extra member but extensions returns 402 payment_invalid, and the handler does not run.',
  },
  'x402.extensions': {
    source: 'money § x402 offers',
    behavior:
      'A payment whose client added extensions is taken like one without: they are no part of what counts.',
  },
  'x402.header-confusion': {
    source: 'money § x402 offers',
    behavior:
      'A payment in X-PAYMENT, in a doubled header or in base64url, or with other terms, payTo or network returns 402, and the handler does not run.',
  },
  'x402.one-effect': {
    source: 'money § One payment, one effect',
    behavior:
      'One payment that is sent twice in parallel, to one route or to two, has one effect. The other call returns 409 payment_already_used.',
  },
  'x402.payment-id': {
    source: 'money § One payment, one effect',
    behavior: 'A payment_id is the SHA-256 of the network, the asset, the payer and the nonce.',
  },
  'x402.remaining-life': {
    source: 'money § x402 offers',
    behavior:
      'A payment with less than 60 seconds of remaining life is refused, measured by the clock of Postgres.',
  },
  'x402.third-party-broadcast': {
    source: 'money § Settlement',
    behavior: 'A payment counts as settled when another account broadcast its authorization.',
  },
  'x402.empty-payer': {
    source: 'money § Debt',
    behavior:
      'When a payer empties its wallet before settlement, the response is withheld. The payer then gets 402 with the debt, and there is no second effect.',
  },
  'x402.unknown-outcome': {
    source: 'money § Settlement',
    behavior:
      'A settlement with an unknown outcome returns 503 settlement_pending with money_moved unknown. A retry joins it.',
  },
  'x402.process-killed': {
    source: 'money § One payment, one effect',
    behavior:
      'When the API is killed between claim, effect and settlement, the retry gets the result and is charged once.',
  },
  'x402.credit': {
    source: 'money § Call credit',
    behavior:
      'A call that is refused after its settlement leaves one call credit for the next call of the wallet.',
  },
  'x402.debt': {
    source: 'money § Debt',
    behavior: 'A debt blocks all other calls of the wallet except status until it is paid.',
  },
  'x402.unsettled-stops-payout': {
    source: 'money § Settlement',
    behavior: 'A payout with an unsettled charge takes no further step.',
  },
} as const
