import type { Address } from 'viem'
import { ASSET_DECIMALS, ASSET_NAME, ASSET_VERSION, CHAIN_ID, limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import { describeFaulty, describeNode, type NodeState } from '../../activities/chain/chain-nodes.ts'
import { readGas, readTokens } from '../../activities/chain/funds.ts'
import { CHAIN_SILENT, findChainFaults } from '../../activities/chain/start-checks.ts'
import type { Config } from '../../activities/config/config.ts'
import { openChain, TRANSFER_GAS } from '../../activities/container.ts'
import { openGasAccounts } from '../../activities/signer/open.ts'
import { type Check, type Finding, fault, fine, runCheck } from './check.ts'

const ANSWERS = 'Start the chain, or correct CHAIN_RPC_URL.'

/** Checks the chain id, each node, the token, and the balances of the wallets. */
export async function checkChain(config: Config): Promise<Check[]> {
  const { reader, nodes } = openChain(config).chain
  const { ASSET_CONTRACT_ADDRESS: asset, PAYOUT_WALLET_ADDRESS: payoutWallet } = config
  const gasWallets = await knownGasWallets(config)
  const checks = [
    runCheck('chain and token', ANSWERS, async () =>
      checkToken(await findChainFaults(reader, asset)),
    ),
    runCheck('nodes', ANSWERS, async () => checkNodes(await nodes())),
    runCheck('payout wallet', ANSWERS, async () =>
      checkPayoutWallet(await readTokens(reader, asset, payoutWallet), payoutWallet),
    ),
  ]
  if (gasWallets.length === 0) return Promise.all(checks)
  const gas = runCheck('gas wallets', ANSWERS, async () => {
    const { weiOf, weiPerGas } = await readGas(reader, gasWallets)
    return checkGas(weiOf, TRANSFER_GAS * weiPerGas)
  })
  return Promise.all([...checks, gas])
}

/** Empty if no gas wallet is configured, or if its signer or file has a fault, which the key checks report. */
async function knownGasWallets(config: Config): Promise<Address[]> {
  try {
    return (await openGasAccounts(config)).map(({ address }) => address.toLowerCase() as Address)
  } catch {
    return []
  }
}

/** With other nodes that are well, calls continue; a node that differs from them may lie. */
function checkNodes(nodes: readonly NodeState[]): Finding {
  const faulty = describeFaulty(nodes)
  if (faulty.length === 0) return fine(nodes.map(describeNode).join('; '))
  return fault(
    faulty.join('; '),
    'Repair that node, or take it out of CHAIN_RPC_URL and CONFIRM_RPC_URL.',
  )
}

function checkToken(faults: readonly string[]): Finding {
  const wanted = `chain ${CHAIN_ID}, ${ASSET_NAME} version ${ASSET_VERSION} with ${ASSET_DECIMALS} decimals`
  if (faults.length === 0) return fine(wanted)
  const remedy = faults.includes(CHAIN_SILENT)
    ? ANSWERS
    : `Point CHAIN_RPC_URL and ASSET_CONTRACT_ADDRESS at ${wanted}.`
  return fault(faults.join('; '), remedy)
}

/** The payout wallet must be able to pay the largest single payout. */
export function checkPayoutWallet(atomic: bigint, address: string): Finding {
  const text = `${address} holds ${formatUsdc(atomic)} USDC`
  if (atomic >= limits.maxPayoutAtomic) return fine(text)
  return fault(text, `Fund it with at least ${formatUsdc(limits.maxPayoutAtomic - atomic)} USDC.`)
}

/** At least one gas wallet must be able to pay for a transfer; balances are in wei, by address. */
export function checkGas(weiOf: Readonly<Record<string, bigint>>, transferWei: bigint): Finding {
  const text = Object.entries(weiOf)
    .map(
      ([address, wei]) =>
        `${address} can pay for ${transferWei === 0n ? 'any number of' : wei / transferWei} transfers`,
    )
    .join('; ')
  if (Object.values(weiOf).some((wei) => wei >= transferWei)) return fine(text)
  return fault(text, `Send ether to ${Object.keys(weiOf).join(' or ')}.`)
}
