import { privateKeyToAccount } from 'viem/accounts'
import { openChain } from '../activities/build-deps.ts'
import { loadStackSettings } from '../activities/config.ts'
import { createDatabase } from '../activities/store/db.ts'
import { createOperator } from '../activities/store/operators.ts'
import { walletProofHeader } from '../api/surfaces/client.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { explain, listStuck, reconcile, wake } from '../temporal/recover.ts'
import { loadSettings } from './settings.ts'
import type { AccountsFile } from './stack/embedded.ts'
import { layoutOf } from './stack/layout.ts'
import { readSecret } from './stack/secret-file.ts'

/** Where operators' credentials are made. */
export async function openOperatorDesk() {
  const { db, close } = createDatabase({
    url: loadSettings().DATABASE_URL,
    applicationName: 'agent-rails cli',
    poolSize: 2,
  })
  return {
    create: async (name: string) => (await createOperator(db, name)).credential,
    [Symbol.asyncDispose]: close,
  }
}

/** Where payouts are found, explained and woken. */
export async function openRecovery() {
  const config = loadSettings()
  const database = createDatabase({ url: config.DATABASE_URL, applicationName: 'agent-rails cli', poolSize: 4 })
  const temporal = createTemporalClient(config)
  const deps = { client: temporal.client, db: database.db, findOutcome: openChain(config).findOutcome }
  return {
    list: () => listStuck(deps),
    explain: (payoutId: string) => explain(deps, payoutId),
    wake: (payoutId: string) => wake(deps, payoutId),
    reconcile: () => reconcile(deps),
    [Symbol.asyncDispose]: async () => {
      await temporal.close()
      await database.close()
    },
  }
}

/** The wallet proof of a POST by one of the agents in `accounts.json`, for calls typed by hand against the local stack. */
export async function proveCall(path: string, body: unknown, agent: number): Promise<string> {
  const accounts = readSecret<AccountsFile>(layoutOf(loadStackSettings().DATA_DIR).accounts)
  const account = accounts?.agents[agent]
  if (accounts === undefined || account === undefined)
    throw new Error('no such account: start the local stack first, agents are 0 to 2')
  const wallet = privateKeyToAccount(account.private_key)
  return walletProofHeader({ baseUrl: accounts.base_url, wallet }, { method: 'POST', path }, body)
}
