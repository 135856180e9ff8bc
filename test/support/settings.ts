const plenty = Array<string>(4).fill('1000000000').join('/')

/** Settings for tests that call more often than a minute allows, on a machine that other tests keep busy. */
export const unhurried = {
  DATABASE_TIMEOUT_MS: '20000',
  LIMIT_AGENT_PER_MINUTE: '6000',
  LIMIT_NEW_WALLETS_PER_MINUTE: '1000000',
  LIMIT_PUBLIC_READS_PER_MINUTE: '1000000',
  LIMIT_PUBLIC_WRITES_PER_MINUTE: '1000000',
  QUOTA_REGISTRATIONS_PER_DAY: plenty,
  QUOTA_TASKS_PER_DAY: plenty,
  QUOTA_WORKFLOWS_PER_DAY: plenty,
  QUOTA_CANDIDATES_PER_DAY: plenty,
  QUOTA_PILOTS_PER_DAY: plenty,
  QUOTA_ANALYSES_PER_DAY: plenty,
  QUOTA_RECORDS_PER_DAY: plenty,
  QUOTA_POSTS_PER_DAY: plenty,
  QUOTA_KIB_PER_DAY: plenty,
}
