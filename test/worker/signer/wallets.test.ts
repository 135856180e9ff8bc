import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, parseTransaction, recoverTransactionAddress } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { authorizationDigest, encodeTransfer } from '../../../activities/chain/authorization.ts'
import { recoverSigner } from '../../../activities/chain/wallet-signature.ts'
import type { Config } from '../../../activities/config/config.ts'
import { writeSecret } from '../../../activities/config/secret-file.ts'
import { loadSignerConfig, type SignerConfig } from '../../../activities/config/signer-config.ts'
import { authorizationOf } from '../../../activities/payouts/transfer.ts'
import { openModules } from '../../../activities/signer/modules/open.ts'
import { openGasAccounts, openPayoutSigner } from '../../../activities/signer/open.ts'
import { serveSigner } from '../../../activities/signer/serve.ts'
import { walletMethods } from '../../../worker/signer/wallets.ts'
import { newWallet } from '../../support/chain.ts'
import {
  payoutWallet,
  signedOrder,
  signedOrders,
  signingPolicy,
} from '../../support/signing-order.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-wallets-'))
const socket = join(scratch, 'wallets.sock')
const gasWallets = [newWallet(), newWallet()]
const { asset } = signingPolicy
let config: SignerConfig
let server: { close(): Promise<void> }
beforeAll(async () => {
  const [payout, gas] = [join(scratch, 'payout.json'), join(scratch, 'gas.json')]
  writeSecret(payout, payoutWallet.privateKey)
  writeSecret(
    gas,
    gasWallets.map(({ privateKey }) => privateKey),
  )
  config = loadSignerConfig({
    ASSET_CONTRACT_ADDRESS: asset,
    PAYOUT_WALLET_ADDRESS: payoutWallet.address,
    PAY_TO_ADDRESS: payTo,
    TREASURY_PRINCIPAL_ADDRESS: signingPolicy.principal,
    SIGNER_WALLETS_SOCKET: socket,
    PAYOUT_WALLET_KEY_FILE: payout,
    GAS_WALLET_KEYS_FILE: gas,
    SIGNER_DAILY_CAP_ATOMIC: '10000000',
    SIGNER_FEE_MAX_WEI: '1000000000',
  })
  server = await serveSigner(socket, await methodsOf(config), () => undefined)
})
afterAll(async () => {
  await server?.close()
  rmSync(scratch, { recursive: true, force: true })
})

const methodsOf = async (own: SignerConfig) => walletMethods(own, await openModules(own))
const remote = () => openPayoutSigner(config as unknown as Config)

verifies('signer.process', 'the signer signs a transfer that it verified', async () => {
  const signer = await remote()
  const order = await signedOrder()
  const answer = await signer.sign(order)
  if (!('signature' in answer)) throw new Error(answer.withheld)
  const digest = authorizationDigest(asset, authorizationOf(order.transfer))
  expect(recoverSigner(digest, answer.signature as Hex)).toBe(config.PAYOUT_WALLET_ADDRESS)
  const { address: recipient } = newWallet()
  const forged = { ...order, transfer: { ...order.transfer, recipient } }
  expect(await signer.sign(forged)).toEqual({ withheld: expect.stringContaining('not that of') })
})

verifies(
  ['signer.counts-day', 'stolen.socket-wallets'],
  'the signer counts over its socket, whatever is in use',
  async () => {
    const signer = await remote()
    const answers = []
    for (const order of await signedOrders(5))
      answers.push(await signer.sign({ ...order, inUse: 1n }))
    const withheld = answers.filter((answer) => 'withheld' in answer)
    expect(withheld.length).toBeGreaterThanOrEqual(1)
    expect(withheld.at(-1)).toMatchObject({
      withheld: expect.stringContaining('20000000 is its limit'),
    })
  },
)

const payTo = newWallet().address
const payment = {
  from: newWallet().address,
  to: payTo,
  value: 5n,
  validAfter: 0n,
  validBefore: 4_000_000_000n,
  nonce: `0x${'ab'.repeat(32)}` as Hex,
}
const transaction = {
  type: 'eip1559',
  chainId: CHAIN_ID,
  to: asset,
  data: encodeTransfer(payment, '0x1234'),
  nonce: 3,
  gas: 100_000n,
  maxFeePerGas: 10_000n,
  maxPriorityFeePerGas: 1n,
} as const

verifies(
  'signer.gas',
  'a gas wallet of the signer sends the transaction that was asked',
  async () => {
    const accounts = await openGasAccounts(config)
    expect(accounts.map(({ address }) => address)).toEqual(gasWallets.map(({ address }) => address))
    for (const account of accounts) {
      const raw = await account.signTransaction(transaction)
      expect(
        await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` }),
      ).toBe(gasWallets.find(({ address }) => address === account.address)?.account.address)
      const { to, value = 0n, nonce } = parseTransaction(raw)
      expect([to?.toLowerCase(), value, nonce]).toEqual([asset, 0n, 3])
    }
  },
)

verifies('signer.gas', 'a higher fee, another contract or wallet is refused', async () => {
  const [account] = await openGasAccounts(config)
  const sign = (change: object) => account?.signTransaction({ ...transaction, ...change })
  await expect(sign({ maxFeePerGas: 10_001n })).rejects.toThrow('the fee of 1000100000 wei')
  await expect(sign({ to: newWallet().address })).rejects.toThrow('neither a transfer')
  await expect(sign({ data: '0x' })).rejects.toThrow('neither a transfer')
  const bare = transaction.data.slice(0, 10) as Hex
  await expect(sign({ data: bare })).rejects.toThrow('neither a transfer')
  await expect(sign({ to: null })).rejects.toThrow()
  const methods = await methodsOf(config)
  const wallet = newWallet().address.toLowerCase()
  await expect(
    methods['sign_gas_transaction']?.({
      wallet,
      to: wallet,
      data: '0x',
      nonce: '0',
      gas: '21000',
      max_fee_per_gas: '1',
      max_priority_fee_per_gas: '1',
    }),
  ).rejects.toThrow('does not hold the key')
})

verifies('signer.process', 'the key of another address is refused at the start', async () => {
  const other = { ...config, PAYOUT_WALLET_ADDRESS: gasWallets[0]?.address.toLowerCase() as Hex }
  await expect(methodsOf(other)).rejects.toThrow('the key of another address')
})
