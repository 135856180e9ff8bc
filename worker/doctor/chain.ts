import type { Address } from 'viem'
import { gasAccounts, openChain, TRANSFER_GAS } from '../../activities/build-deps.ts'
import { readGas, readTokens } from '../../activities/chain/funds.ts'
import { CHAIN_SILENT, findChainFaults } from '../../activities/chain/start-checks.ts'
import type { Config } from '../../activities/config.ts'
import { ASSET_DECIMALS, ASSET_NAME, ASSET_VERSION, CHAIN_ID, limits } from '../../workflows/domain/limits.ts'
import { formatUsdc } from '../../workflows/domain/money.ts'
import { type Check, type Finding, fault, fine, look } from './check.ts'

const ANSWERS = 'Start the chain, or correct CHAIN_RPC_URL.'

/** The chain has the right id and the right token, and the wallets hold what transfers need. */
export function checkChain(config: Config): Promise<Check[]> {
  const { reader } = openChain(config).chain
  const { ASSET_CONTRACT_ADDRESS: asset, PAYOUT_WALLET_ADDRESS: payoutWallet } = config
  const gasWallets = knownGasWallets(config)
  const checks = [
    look('chain and token', ANSWERS, async () => judgeToken(await findChainFaults(reader, asset))),
    look('payout wallet', ANSWERS, async () =>
      judgePayoutWallet(await readTokens(reader, asset, payoutWallet), payoutWallet),
    ),
  ]
  if (gasWallets.length === 0) return Promise.all(checks)
  const gas = look('gas wallets', ANSWERS, async () => {
    const { weiOf, weiPerGas } = await readGas(reader, gasWallets)
    return judgeGas(weiOf, TRANSFER_GAS * weiPerGas)
  })
  return Promise.all([...checks, gas])
}

/** None where this machine has no keys of gas wallets, or a file of them that the key checks complain about. */
function knownGasWallets(config: Config): Address[] {
  try {
    return gasAccounts(config).map(({ address }) => address.toLowerCase() as Address)
  } catch {
    return []
  }
}

/** Judges what the start checks found at the chain. */
export function judgeToken(faults: readonly string[]): Finding {
  const wanted = `chain ${CHAIN_ID}, ${ASSET_NAME} version ${ASSET_VERSION} with ${ASSET_DECIMALS} decimals`
  if (faults.length === 0) return fine(wanted)
  const remedy = faults.includes(CHAIN_SILENT)
    ? ANSWERS
    : `Point CHAIN_RPC_URL and ASSET_CONTRACT_ADDRESS at ${wanted}.`
  return fault(faults.join('; '), remedy)
}

/** Judges the payout wallet's tokens: it must be able to pay the largest single payout. */
export function judgePayoutWallet(atomic: bigint, address: string): Finding {
  const text = `${address} holds ${formatUsdc(atomic)} USDC`
  if (atomic >= limits.maxPayoutAtomic) return fine(text)
  return fault(text, `Fund it with at least ${formatUsdc(limits.maxPayoutAtomic - atomic)} USDC.`)
}

/** Judges the gas wallets' ether (wei by address) against the price of one transfer: one of them must be able to submit. */
export function judgeGas(weiOf: Readonly<Record<string, bigint>>, transferWei: bigint): Finding {
  const text = Object.entries(weiOf)
    .map(
      ([address, wei]) =>
        `${address} can pay for ${transferWei === 0n ? 'any number of' : wei / transferWei} transfers`,
    )
    .join('; ')
  if (Object.values(weiOf).some((wei) => wei >= transferWei)) return fine(text)
  return fault(text, `Send ether to ${Object.keys(weiOf).join(' or ')}.`)
}
