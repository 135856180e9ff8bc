/** Requirements on refunds, disputes and payments with several windows: id → source and behavior. */
export const returnedMoneyRequirements = {
  'returns.stripe': {
    source: 'decision',
    behavior: 'Stripe’s refunds, whole and partial, and every dispute event are read as what they say of one payment.',
  },
  'returns.judged': {
    source: 'decision',
    behavior: 'How a payment stands after refunds and disputes does not depend on the order in which they are told.',
  },
  'returns.by-intent': {
    source: 'decision',
    behavior: 'A refund or dispute finds its payment by the payment intent, also when it is told before the payment.',
  },
  'returns.disputed': {
    source: 'decision',
    behavior:
      'The credit of a disputed payment is not used: it is upheld when the dispute is won and gone when it is lost.',
  },
  'returns.attention': {
    source: 'decision',
    behavior:
      'What a provider says and cannot simply be applied is an exception for operators until one of them closes it.',
  },
  'returns.provider-scope': {
    source: 'decision',
    behavior: 'A provider settles and takes back only payments that are its own.',
  },
  'payments.windows': {
    source: 'decision',
    behavior:
      'Every verified signature of a payment nonce is kept; the newest settles, and none fails before the last window is over.',
  },
  'payments.undelivered': {
    source: 'decision',
    behavior:
      'A charge whose answer was never given and can no longer be asked for is one call credit of its wallet, once.',
  },
} as const
