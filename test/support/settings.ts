/** Settings for tests that call without a credential more often than a minute allows. */
export const unhurried = { LIMIT_PUBLIC_READS_PER_MINUTE: '1000000', LIMIT_PUBLIC_WRITES_PER_MINUTE: '1000000' }
