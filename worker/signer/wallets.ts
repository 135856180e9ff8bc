import { CHAIN_ID } from '#domain/core/limits.ts'
import type { GasAccount } from '../../activities/chain/gas-account.ts'
import type { SignerConfig } from '../../activities/config/signer-config.ts'
import type { ModuleReference } from '../../activities/keys/module-reference.ts'
import { openDayJournal } from '../../activities/payouts/day-count.ts'
import { createPayoutSigner, signingPolicyOf } from '../../activities/payouts/signer.ts'
import { gasRefusal } from '../../activities/signer/gas-policy.ts'
import type { Modules } from '../../activities/signer/modules/module.ts'
import { moduleWallet } from '../../activities/signer/modules/wallet.ts'
import { gasAccountsOfFile, readPayoutWallet } from '../../activities/signer/open.ts'
import { gasParams, orderParams, SignerRefusal } from '../../activities/signer/protocol.ts'
import { createRates } from '../../activities/signer/rates.ts'
import type { Methods } from '../../activities/signer/serve.ts'

/** Signatures a second. */
const walletRates = { transfers: 1_000, gas_transactions: 2_000 } as const

/** `wallets`, `sign_transfer` and `sign_gas_transaction` over the keys of the payout wallet and the gas wallets; the journal of signed payouts is next to the first. */
export async function walletMethods(config: SignerConfig, modules: Modules): Promise<Methods> {
  const openHeld = async (reference: ModuleReference) =>
    moduleWallet(await modules.open(reference, 'secp256k1'))
  const wallet = await readPayoutWallet(config, openHeld)
  const journal = openDayJournal(`${config.PAYOUT_WALLET_KEY_FILE}.journal`)
  const payouts = createPayoutSigner(wallet, signingPolicyOf(config, wallet.address), { journal })
  const gasAccounts = await gasAccountsOfFile(config, openHeld)
  const accounts = new Map<string, GasAccount>(
    gasAccounts.map((account) => [account.address, account]),
  )
  const rates = createRates(walletRates)
  const policy = {
    asset: config.ASSET_CONTRACT_ADDRESS,
    payoutWallet: config.PAYOUT_WALLET_ADDRESS,
    payTo: config.PAY_TO_ADDRESS,
    feeMaxWei: config.SIGNER_FEE_MAX_WEI,
  }
  return {
    wallets: async () => ({
      payout_wallet: config.PAYOUT_WALLET_ADDRESS,
      gas_wallets: [...accounts.keys()],
    }),
    sign_transfer: async (params) => {
      const { payout, transfer, in_use } = orderParams.parse(params)
      rates.assertWithin('transfers')
      return payouts.sign({ payout, transfer, inUse: BigInt(in_use) })
    },
    sign_gas_transaction: async (params) => {
      const request = gasParams.parse(params)
      const account = accounts.get(request.wallet)
      if (account === undefined)
        throw new SignerRefusal('refused', 'the signer does not hold the key of this gas wallet')
      const reason = gasRefusal(request, policy)
      if (reason !== undefined) throw new SignerRefusal('refused', reason)
      rates.assertWithin('gas_transactions')
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: CHAIN_ID,
        to: request.to,
        data: request.data,
        nonce: Number(request.nonce),
        gas: BigInt(request.gas),
        maxFeePerGas: BigInt(request.max_fee_per_gas),
        maxPriorityFeePerGas: BigInt(request.max_priority_fee_per_gas),
      })
      return { raw }
    },
  }
}
