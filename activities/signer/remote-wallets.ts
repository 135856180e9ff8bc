import { type Hex, parseTransaction, recoverTransactionAddress } from 'viem'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { authorizationDigest } from '../chain/authorization.ts'
import type { GasAccount } from '../chain/gas-account.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import type { Signer } from '../payouts/deps.ts'
import type { SigningOrder } from '../payouts/signing-rules.ts'
import { authorizationOf } from '../payouts/transfer.ts'
import { connectSigner, type SignerConnection } from './client.ts'
import { gasAnswer, gasParams, orderParams, transferAnswer, walletsAnswer } from './protocol.ts'
import { untilAnswered } from './remote-rings.ts'

type Settings = { socket: string; asset: Hex; dailyCapAtomic: bigint }

/** The payout wallet of the signer at this socket; each signature is verified before it is stored. */
export async function openRemotePayoutSigner({
  socket,
  asset,
  dailyCapAtomic,
}: Settings): Promise<Signer> {
  const connection = connectSigner(socket)
  const { payout_wallet } = await walletsOf(connection)
  return {
    dailyCapAtomic,
    sign: async (order) => {
      const answer = await connection.call('sign_transfer', orderText(order), transferAnswer)
      if ('withheld' in answer) return answer
      const digest = authorizationDigest(asset, authorizationOf(order.transfer))
      if (recoverSigner(digest, answer.signature) !== payout_wallet)
        throw new Error('the signer answered with no signature of the payout wallet')
      return answer
    },
  }
}

/** Whose keys the signer holds. */
const walletsOf = (connection: SignerConnection) =>
  untilAnswered(() => connection.call('wallets', {}, walletsAnswer))

const orderText = ({ payout, transfer, inUse }: SigningOrder) =>
  orderParams.parse({ payout, transfer, in_use: inUse.toString() })

/** The gas wallets of the signer at this socket; each transaction is read again before it is stored. */
export async function openRemoteGasAccounts(socket: string): Promise<GasAccount[]> {
  const connection = connectSigner(socket)
  const { gas_wallets } = await walletsOf(connection)
  return gas_wallets.map((address) => ({
    address,
    signTransaction: async (transaction) => {
      const { to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
      const request = gasParams.parse({
        wallet: address,
        to: to.toLowerCase(),
        data,
        nonce: nonce.toString(),
        gas: gas.toString(),
        max_fee_per_gas: maxFeePerGas.toString(),
        max_priority_fee_per_gas: maxPriorityFeePerGas.toString(),
      })
      const { raw } = await connection.call('sign_gas_transaction', request, gasAnswer)
      await assertSigned(raw, { ...transaction, from: address })
      return raw
    },
  }))
}

/** Throws unless the raw bytes are this transaction with a signature of `from`. */
async function assertSigned(
  raw: Hex,
  asked: Parameters<GasAccount['signTransaction']>[0] & { from: Hex },
): Promise<void> {
  const serializedTransaction = raw as `0x02${string}`
  const { chainId, nonce = 0, to, data = '0x', ...read } = parseTransaction(serializedTransaction)
  const isAsked =
    chainId === CHAIN_ID &&
    nonce === asked.nonce &&
    to?.toLowerCase() === asked.to.toLowerCase() &&
    data === asked.data &&
    (read.value ?? 0n) === 0n &&
    read.gas === asked.gas &&
    read.maxFeePerGas === asked.maxFeePerGas
  const from = await recoverTransactionAddress({ serializedTransaction })
  if (!isAsked || from.toLowerCase() !== asked.from)
    throw new Error('the signer answered with another transaction')
}
