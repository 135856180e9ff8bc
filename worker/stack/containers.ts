import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Infrastructure } from '../../activities/config/config.ts'
import { packageRoot } from '../../activities/config/package-root.ts'
import { keepSecret, readSecret, writeSecret } from '../../activities/config/secret-file.ts'
import { createOperator } from '../../activities/store/operators/operators.ts'
import { roleUrl } from '../../activities/store/postgres/create-roles.ts'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import { grantPrivileges } from '../../activities/store/postgres/roles.ts'
import { createTemporalClient } from '../../temporal/connection.ts'
import { createNamespace } from '../../temporal/readiness.ts'
import { registerSearchAttributes } from '../../temporal/search-attributes.ts'
import { keepKeys } from '../files/signing-keys.ts'
import { newDemoAccounts, serviceAccounts } from './accounts.ts'
import { makeRoles } from './database-roles.ts'
import type { AccountsFile } from './embedded.ts'
import { addressSettings } from './environment.ts'
import { prepareLocalChain } from './local-chain.ts'

/** Where each kind of file lies: a folder is a volume, so that only the signer's container sees private keys. */
export function containerLayout(root: string) {
  return {
    serviceEnvironment: join(root, 'api', 'service.env'),
    tokenKeys: join(root, 'api', 'token-keys.json'),
    addresses: join(root, 'signer', 'addresses.env'),
    signingKeys: join(root, 'signer', 'signing-keys.json'),
    payoutWalletKey: join(root, 'signer', 'payout-wallet.json'),
    gasWalletKeys: join(root, 'signer', 'gas-wallets.json'),
    workerDatabase: join(root, 'worker', 'database.env'),
    setup: join(root, 'setup'),
    rolePasswords: join(root, 'setup', 'database-roles.json'),
    token: join(root, 'setup', 'token.json'),
    accounts: join(root, 'setup', 'accounts.json'),
  }
}

/** Where the image keeps the compiled token, so that it needs no compiler. */
export const imageTokenCache = join(packageRoot, 'dist', 'token')

/** Prepares what API and worker find when they start; a second time it changes nothing. */
export async function setUpContainers(
  root: string,
  infrastructure: Infrastructure,
  say: (text: string) => void,
): Promise<void> {
  const layout = containerLayout(root)
  const known = readSecret<AccountsFile>(layout.accounts)
  const demo = known ?? newDemoAccounts()
  const service = await serviceAccounts(layout.setup)
  keepKeys(layout, new Date())
  await keepSecret(layout.payoutWalletKey, () => service.payoutWallet.private_key)
  await keepSecret(layout.gasWalletKeys, () =>
    service.gasWallets.map((wallet) => wallet.private_key),
  )
  const [rpcUrl = ''] = infrastructure.CHAIN_RPC_URL
  const chain = { rpcUrl, addressFile: layout.token, cache: imageTokenCache, service, demo, say }
  const asset = await prepareLocalChain(chain)
  say(`the local chain's token is ${asset}`)
  await prepareNamespace(infrastructure)
  say(`the namespace ${infrastructure.TEMPORAL_NAMESPACE} has its search attributes`)
  const database = await prepareRoles(infrastructure.DATABASE_URL, layout.rolePasswords)
  say('each process has a database role of its own')
  const credential =
    known?.operator.credential ?? (await createDemoOperator(infrastructure.DATABASE_URL))
  const { treasury, agents } = demo
  const served = { rpc_url: rpcUrl, base_url: infrastructure.BASE_URL }
  writeSecret(layout.accounts, { ...served, treasury, operator: { credential }, agents })
  const addresses = addressSettings({ asset, service, treasury })
  writeEnvironment(layout.serviceEnvironment, { ...addresses, DATABASE_URL: database.api })
  writeEnvironment(layout.addresses, addresses)
  writeEnvironment(layout.workerDatabase, { DATABASE_URL: database.worker })
  say(`accounts to play with are in ${layout.accounts}`)
}

function writeEnvironment(path: string, settings: Record<string, string>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const lines = Object.entries(settings).map((entry) => entry.join('='))
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** The urls of API and worker, whose roles are there and may do what they need. */
async function prepareRoles(
  url: string,
  passwordFile: string,
): Promise<Record<'api' | 'worker', string>> {
  const passwords = await makeRoles(url, passwordFile)
  const { db, close } = createDatabase({ url, applicationName: 'agent-rails setup', poolSize: 1 })
  try {
    await grantPrivileges(db)
  } finally {
    await close()
  }
  return { api: roleUrl(url, 'api', passwords), worker: roleUrl(url, 'worker', passwords) }
}

async function prepareNamespace(infrastructure: Infrastructure): Promise<void> {
  const { client, close } = createTemporalClient(infrastructure)
  try {
    await createNamespace(client, 10_000)
    await registerSearchAttributes(client, 10_000)
  } finally {
    await close()
  }
}

async function createDemoOperator(url: string): Promise<string> {
  const { db, close } = createDatabase({ url, applicationName: 'agent-rails setup', poolSize: 1 })
  try {
    return (await createOperator(db, 'demo')).credential
  } finally {
    await close()
  }
}
