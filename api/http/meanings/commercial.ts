/** What the fields of accounts and fees mean. */
export const commercialMeanings: Readonly<Record<string, string>> = {
  account_id: 'The account; an agent has only its own.',
  controls: 'The controls that are set; those that are absent stay, null is no limit.',
  'controls.allowed_rails': 'Only these rails are quoted, started and paid.',
  'controls.per_run_usd_max':
    'The most usd of one run, one payout or one purchase of a badge or plan.',
  'controls.review_all': 'An operator decides about each run, also a synthetic one.',
  'controls.callback_hosts': 'Only these hosts are called back.',
  'controls.credential_max_age_days': 'An access key ends so many days after it was claimed.',
}
