import { stat } from 'node:fs/promises'
import { gasAccounts, startFacts } from '../../activities/build-deps.ts'
import { findWalletFaults } from '../../activities/chain/start-checks.ts'
import type { Config } from '../../activities/config.ts'
import { readPayoutWallet } from '../../activities/index.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { SIGNING_QUEUE, TRANSFERS_QUEUE } from '../../temporal/queues.ts'
import { type Check, type Finding, fault, fine, look } from './check.ts'

/** Key files are there, readable by their owner alone, and hold the keys of the configured addresses, which all differ. */
export function checkKeys(config: Config): Promise<Check[]> {
  const serves = (queue: string) => config.TASK_QUEUES.includes(queue)
  return Promise.all([
    keyFile('SIGNING_KEYS_FILE', config.SIGNING_KEYS_FILE, () => {
      const rings = loadKeyRings(config.SIGNING_KEYS_FILE)
      return fine(`${Object.keys(rings).length} rings; receipts are signed by ${rings.receipt.active.kid}`)
    }),
    ...(serves(SIGNING_QUEUE)
      ? [
          keyFile('PAYOUT_WALLET_KEY_FILE', config.PAYOUT_WALLET_KEY_FILE, () => {
            readPayoutWallet(config)
            return fine(`the key of ${config.PAYOUT_WALLET_ADDRESS}`)
          }),
        ]
      : []),
    ...(serves(TRANSFERS_QUEUE)
      ? [
          keyFile('GAS_WALLET_KEYS_FILE', config.GAS_WALLET_KEYS_FILE, () =>
            fine(`${gasAccounts(config).length} gas wallets`),
          ),
        ]
      : []),
    look('addresses', 'Correct the key files first.', () => {
      const { wallets, ...facts } = startFacts(config)
      const faults = findWalletFaults({ ...facts, wallets })
      if (faults.length === 0) return fine(`${Object.keys(wallets).length} roles, all different`)
      return fault(faults.join('; '), 'Give every role a key of its own that nobody has published.')
    }),
  ])
}

function keyFile(name: string, path: string, read: () => Finding): Promise<Check> {
  return look(name, `Put back the file that ${name} names, or name another.`, async () => {
    if (path === '') return fault('not set', `Set ${name}; docs/operations.md says what the file holds.`)
    return judgeMode(path, (await stat(path)).mode) ?? read()
  })
}

/** A fault when anybody but the owner may read or write a key file. */
export function judgeMode(path: string, mode: number): Finding | undefined {
  if ((mode & 0o077) === 0) return undefined
  return fault(`${path} has mode ${(mode & 0o777).toString(8).padStart(4, '0')}`, `chmod 600 ${path}`)
}
