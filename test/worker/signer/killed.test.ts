import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import type { Config } from '../../../activities/config/config.ts'
import { writeSecret } from '../../../activities/config/secret-file.ts'
import { openKeyRings, openPayoutSigner } from '../../../activities/signer/open.ts'
import { createSigningKeys } from '../../../worker/files/signing-keys.ts'
import { checkpointOfTree, growth } from '../../support/memory-log.ts'
import {
  type Order,
  payoutWallet,
  signedOrders,
  signingPolicy,
} from '../../support/signing-order.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-killed-'))
const env = {
  BASE_URL: 'https://svc.example',
  ASSET_CONTRACT_ADDRESS: signingPolicy.asset,
  PAYOUT_WALLET_ADDRESS: payoutWallet.address,
  PAY_TO_ADDRESS: `0x${'4'.repeat(40)}`,
  TREASURY_PRINCIPAL_ADDRESS: signingPolicy.principal,
  SIGNER_WORKER_SOCKET: join(scratch, 'keys.sock'),
  SIGNER_WALLETS_SOCKET: join(scratch, 'wallets.sock'),
  SIGNING_KEYS_FILE: join(scratch, 'keys.json'),
  PAYOUT_WALLET_KEY_FILE: join(scratch, 'payout.json'),
  SIGNER_DAILY_CAP_ATOMIC: '10000000',
}
createSigningKeys(env.SIGNING_KEYS_FILE, new Date())
writeSecret(env.PAYOUT_WALLET_KEY_FILE, payoutWallet.privateKey)

let signer: ChildProcess | undefined
function start() {
  const program = join(import.meta.dirname, '../../../dist/worker/signer/main.js')
  signer = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  return signer
}
async function kill() {
  const ended = once(signer as ChildProcess, 'exit')
  signer?.kill('SIGKILL')
  await ended
}
afterAll(async () => {
  if (signer?.exitCode === null && signer.signalCode === null) await kill()
  rmSync(scratch, { recursive: true })
})

const config = {
  ...env,
  SIGNER_SOCKET: env.SIGNER_WORKER_SOCKET,
  SIGNER_DAILY_CAP_ATOMIC: 10_000_000n,
} as unknown as Config
const checkpoint = (size: number, salt = '') => checkpointOfTree('svc.example/log', size, salt)

verifies(
  ['signer.remembers', 'signer.journal'],
  'a signer that is killed at any time keeps its count and its checkpoint',
  async () => {
    const orders = (await signedOrders(8)) as [Order, ...Order[]]
    let answered = 0
    for (const [round, order] of orders.entries()) {
      start()
      const [wallet, rings] = [await openPayoutSigner(config), await openKeyRings(config)]
      const size = round + 1
      if (round > 0)
        await expect(rings.log.active.sign(checkpoint(size - 1, 'x'))).rejects.toThrow(
          'another root',
        )
      const answer = await wallet.sign(order)
      if ('signature' in answer) answered++
      else expect(answer.withheld).toContain('signed 20000000 atomic units')
      const grown = { consistency: growth(size - 1, size) }
      await rings.log.active.sign(checkpoint(size), grown)
      // What is asked last may be signed or not, and may tear a line.
      const last = rings.log.active.sign(checkpoint(size), grown).catch(() => undefined)
      await kill()
      await last
    }
    expect(answered).toBe(4)
    const journal = `${env.SIGNING_KEYS_FILE}.journal`
    appendFileSync(journal, 'torn')
    start()
    const { log } = await openKeyRings(config)
    await expect(log.active.sign(checkpoint(7))).rejects.toThrow('8 entries is signed already')
    await kill()
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"size":8', '"size":1'))
    const stopped = start()
    let said = ''
    stopped.stderr?.on('data', (chunk) => {
      said += chunk
    })
    expect(await once(stopped, 'close')).not.toContain(0)
    expect(said).toContain('keys.json.journal is damaged in line 1')
  },
)
