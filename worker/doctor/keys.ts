import { stat } from 'node:fs/promises'
import { findWalletFaults } from '../../activities/chain/start-checks.ts'
import type { Config } from '../../activities/config/config.ts'
import { startFacts } from '../../activities/container.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { loadTokenKeys } from '../../activities/keys/token-keys.ts'
import { connectSigner } from '../../activities/signer/client.ts'
import { gasAccountsOfFile, readPayoutWallet } from '../../activities/signer/open.ts'
import { keysAnswer, walletsAnswer } from '../../activities/signer/protocol.ts'
import { SIGNING_QUEUE, TRANSFERS_QUEUE } from '../../temporal/queues.ts'
import { type Check, type Finding, fault, fine, runCheck } from './check.ts'

const START_SIGNER = 'Start the signer, or correct the path of its socket.'

/** Checks that the signer answers, that key files are there and private, and that the keys are those of the configured addresses. */
export async function checkKeys(config: Config): Promise<Check[]> {
  const checks = await Promise.all([
    checkRings(config),
    keyFile('TOKEN_KEYS_FILE', config.TOKEN_KEYS_FILE, () =>
      fine(`${loadTokenKeys(config.TOKEN_KEYS_FILE)().length} keys that tokens are derived from`),
    ),
    ...checkWallets(config),
  ])
  if (checks.some(({ ok }) => !ok)) return checks
  return [...checks, await checkAddresses(config)]
}

function checkRings(config: Config): Promise<Check> {
  const { SIGNER_SOCKET: socket, SIGNING_KEYS_FILE: file } = config
  if (socket === '')
    return keyFile('SIGNING_KEYS_FILE', file, () => {
      const rings = loadKeyRings(file)
      return ringsFound(Object.keys(rings).length, rings.receipt.active.kid)
    })
  return runCheck('signer', START_SIGNER, async () => {
    const { rings } = await connectSigner(socket).call('keys', {}, keysAnswer)
    const kid = rings.receipt.find(({ state }) => state === 'active')?.kid
    return ringsFound(Object.keys(rings).length, kid)
  })
}

const ringsFound = (count: number, kid: string | undefined): Finding =>
  fine(`${count} rings; receipts are signed by ${kid}`)

/** The wallets' keys, where this process serves the queues that need them. */
function checkWallets(config: Config): Promise<Check>[] {
  const { SIGNER_WALLETS_SOCKET: socket, TASK_QUEUES: queues } = config
  const signs = queues.includes(SIGNING_QUEUE)
  const submits = queues.includes(TRANSFERS_QUEUE)
  if (!signs && !submits) return []
  if (socket !== '')
    return [runCheck('signer of the wallets', START_SIGNER, () => askWallets(config))]
  const payouts = keyFile('PAYOUT_WALLET_KEY_FILE', config.PAYOUT_WALLET_KEY_FILE, async () => {
    await readPayoutWallet(config)
    return fine(`the key of ${config.PAYOUT_WALLET_ADDRESS}`)
  })
  const gas = keyFile('GAS_WALLET_KEYS_FILE', config.GAS_WALLET_KEYS_FILE, async () =>
    fine(`${(await gasAccountsOfFile(config)).length} gas wallets`),
  )
  return [...(signs ? [payouts] : []), ...(submits ? [gas] : [])]
}

async function askWallets(config: Config): Promise<Finding> {
  const { PAYOUT_WALLET_ADDRESS: address, SIGNER_WALLETS_SOCKET: socket } = config
  const { payout_wallet, gas_wallets } = await connectSigner(socket).call(
    'wallets',
    {},
    walletsAnswer,
  )
  if (payout_wallet !== address)
    return fault(
      `the signer has the key of ${payout_wallet}, and PAYOUT_WALLET_ADDRESS is ${address}`,
      'Give the signer the same PAYOUT_WALLET_ADDRESS.',
    )
  return fine(`the key of ${payout_wallet}, and ${gas_wallets.length} gas wallets`)
}

const checkAddresses = (config: Config): Promise<Check> =>
  runCheck('addresses', 'Correct the key files first.', async () => {
    const { wallets, ...facts } = await startFacts(config)
    const faults = findWalletFaults({ ...facts, wallets })
    if (faults.length === 0) return fine(`${Object.keys(wallets).length} roles, all different`)
    return fault(faults.join('; '), 'Give every role its own, unpublished key.')
  })

function keyFile(
  name: string,
  path: string,
  read: () => Finding | Promise<Finding>,
): Promise<Check> {
  return runCheck(name, `Restore the file that ${name} names, or name another file.`, async () => {
    if (path === '') return fault('not set', `Set ${name}; docs/operations.md describes the file.`)
    return checkMode(path, (await stat(path)).mode) ?? read()
  })
}

/** A fault if other users can read or write a key file. */
function checkMode(path: string, mode: number): Finding | undefined {
  if ((mode & 0o077) === 0) return undefined
  return fault(
    `${path} has mode ${(mode & 0o777).toString(8).padStart(4, '0')}`,
    `chmod 600 ${path}`,
  )
}
