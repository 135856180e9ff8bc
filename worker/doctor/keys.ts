import { stat } from 'node:fs/promises'
import { findWalletFaults } from '../../activities/chain/start-checks.ts'
import type { Config } from '../../activities/config/config.ts'
import { gasAccounts, startFacts } from '../../activities/container.ts'
import { readPayoutWallet } from '../../activities/index.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { SIGNING_QUEUE, TRANSFERS_QUEUE } from '../../temporal/queues.ts'
import { type Check, type Finding, fault, fine, runCheck } from './check.ts'

/** Checks that key files exist, only their owner can read them, and they hold the keys of the configured addresses. */
export function checkKeys(config: Config): Promise<Check[]> {
  const serves = (queue: string) => config.TASK_QUEUES.includes(queue)
  return Promise.all([
    keyFile('SIGNING_KEYS_FILE', config.SIGNING_KEYS_FILE, () => {
      const rings = loadKeyRings(config.SIGNING_KEYS_FILE)
      return fine(
        `${Object.keys(rings).length} rings; receipts are signed by ${rings.receipt.active.kid}`,
      )
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
    runCheck('addresses', 'Correct the key files first.', () => {
      const { wallets, ...facts } = startFacts(config)
      const faults = findWalletFaults({ ...facts, wallets })
      if (faults.length === 0) return fine(`${Object.keys(wallets).length} roles, all different`)
      return fault(faults.join('; '), 'Give every role its own, unpublished key.')
    }),
  ])
}

function keyFile(name: string, path: string, read: () => Finding): Promise<Check> {
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
