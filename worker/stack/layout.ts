import { join } from 'node:path'

/** Every path below DATA_DIR that the stack writes. */
export function layoutOf(dataDirectory: string) {
  const at = (...parts: string[]) => join(dataDirectory, ...parts)
  return {
    root: dataDirectory,
    lock: at('stack.pid'),
    log: (part: string) => at('logs', `${part}.log`),
    postgres: at('postgres'),
    schema: at('schema.json'),
    temporal: at('temporal', 'temporal.db'),
    chain: at('chain'),
    token: at('chain', 'token.json'),
    postgresPassword: at('keys', 'postgres.json'),
    rolePasswords: at('keys', 'database-roles.json'),
    signingKeys: at('keys', 'signing-keys.json'),
    payoutWalletKey: at('keys', 'payout-wallet.json'),
    gasWalletKeys: at('keys', 'gas-wallets.json'),
    environment: at('environment.json'),
    accounts: at('demo', 'accounts.json'),
    demoSummary: at('demo', 'summary.json'),
    cache: at('cache'),
  }
}

/** The paths of one stack. */
export type Layout = ReturnType<typeof layoutOf>
