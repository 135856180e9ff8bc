/** Requirements on customer accounts, their controls and their wallets: id → source and behavior. */
export const accountRequirements = {
  'accounts.read': {
    source: 'accounts § Controls',
    behavior:
      'Anyone reads the catalog of controls; an agent reads its own account, and an operator any.',
  },
  'accounts.narrow': {
    source: 'accounts § Changes',
    behavior:
      'An agent only narrows the controls of its account, also against the database; an operator widens. Each change has a receipt and a row of history.',
  },
  'accounts.fee': {
    source: 'accounts § Changes',
    behavior:
      'The first controls that an agent sets state their monthly fee and are refused with 422 fee_not_accepted, naming its amount, until it accepts it; an operator’s start none. A higher fee is posted once it is accepted as well.',
  },
  'accounts.fee-ends': {
    source: 'accounts § Changes',
    behavior:
      'An agent ends an accepted fee with the UTC month, under a receipt: the month that has begun is owed, none after it is posted until the fee is accepted again, and the controls stay.',
  },
  'accounts.race': {
    source: 'accounts § Enforcement',
    behavior:
      'Of fifty spends that race a narrowing, exactly those pass that were committed before it.',
  },
  'accounts.starts': {
    source: 'accounts § Enforcement',
    behavior:
      'Fifty starts of runs race a pause of the account: each is stored before it, or refused with 403 control_denied and leaves no run.',
  },
  'accounts.day': {
    source: 'accounts § Enforcement',
    behavior: 'Parallel spends of an account never pass the limit of its UTC day.',
  },
  'accounts.locks': {
    source: 'decision',
    behavior:
      'The account is the last lock of a spending transaction and a change takes no other, so that spends, pauses of operators and narrowings at once all end.',
  },
  'accounts.payments': {
    source: 'accounts § Enforcement',
    behavior:
      'A payment of reserved credit, also one that was authorized before, and a quote are refused by the controls of now. The limit of a day holds for the whole amounts of payments, and again for everything else. Prepaid credit and badge fees obey them too.',
  },
  'accounts.review': {
    source: 'accounts § Controls',
    behavior:
      'With review_all an operator decides about each run, also a synthetic one; an access key over its greatest age is refused; a preflight names the controls that fail.',
  },
  'accounts.wallet': {
    source: 'accounts § Wallets',
    behavior:
      'A wallet is bound to one account by its own signature over that account, once; another account cannot bind it.',
  },
  'accounts.payout-callbacks': {
    source: 'accounts § Wallets',
    behavior:
      'The callback URL of a bound wallet has an allowed host when it is set (403 control_denied) and when a receipt of a payout stores its callback; an unbound wallet is free.',
  },
  'accounts.payouts': {
    source: 'accounts § Wallets',
    behavior:
      'A payout of a bound wallet is refused while the account is paused or over its limits, and counts in its day; an unbound wallet has no controls.',
  },
} as const
