import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The longest path that a Unix socket may have on every system. */
const SOCKET_PATH_MAX = 100

/** In the data directory, or in a short directory of its own where that path would be too long for a socket. */
function socketAt(dataDirectory: string, folder: string, name: string): string {
  const path = join(dataDirectory, folder, name)
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return path
  const digest = createHash('sha256').update(dataDirectory).digest('hex').slice(0, 16)
  return join(tmpdir(), `agent-rails-${digest}`, folder, name)
}

/** Every path that the stack writes, all but long sockets below DATA_DIR. */
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
    tokenKeys: at('keys', 'token-keys.json'),
    signerSocket: socketAt(dataDirectory, 'signer', 'keys.sock'),
    workerSocket: socketAt(dataDirectory, 'signer', 'worker-keys.sock'),
    walletsSocket: socketAt(dataDirectory, 'signer', 'wallets.sock'),
    cageSocket: socketAt(dataDirectory, 'cage', 'cage.sock'),
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
