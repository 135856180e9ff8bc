import type { Address, Hex } from 'viem'
import { encodeTransfer, type TokenAuthorization } from './authorization.ts'
import { isChainFault, isRevert } from './chain-fault.ts'
import type { ChainReader } from './client.ts'
import type { Gas, GasWatch } from './funds.ts'
import { tokenAbi } from './token.ts'

/** Whether an authorization can be sent now: `used` if its nonce is used; `parked` names the cause and the remedy. */
export type Preflight =
  | { kind: 'ready' }
  | { kind: 'used' }
  | { kind: 'parked'; reason: string; unblock: string }

/** Checks a signed transfer before gas is spent on it. */
export type CheckTransfer = (
  authorization: TokenAuthorization,
  signature: Hex,
) => Promise<Preflight>

/** The possible submitters, and the gas of a transfer. */
export type PreflightSettings = {
  readonly asset: Address
  readonly gas: GasWatch
  readonly transferGas: bigint
}

/**
 * Checks before a broadcast: simulates the transfer with one request, and reads the cause only if the simulation fails.
 * Never throws for a fault of the chain.
 */
export async function preflight(
  chain: { readonly reader: ChainReader },
  settings: PreflightSettings,
  authorization: TokenAuthorization,
  signature: Hex,
): Promise<Preflight> {
  const { reader } = chain
  try {
    const gas = await settings.gas()
    const [sender] = gas.gasWalletsWithFunds
    const refusal = await refusalOf(reader, {
      to: settings.asset,
      data: encodeTransfer(authorization, signature),
      ...(sender && { account: sender.address }),
    })
    if (refusal !== undefined) return await explain(reader, settings.asset, authorization, refusal)
    if (hasGas(gas, settings.transferGas)) return { kind: 'ready' }
    const wallets = gas.gasWalletsWithFunds.map(({ address }) => address)
    return parked(
      'no gas wallet has the ether for a transfer',
      `send ether to ${wallets.join(' or ')}`,
    )
  } catch (error) {
    if (!isChainFault(error))
      return parked(
        'the asset does not answer as an EIP-3009 token',
        'check ASSET_CONTRACT_ADDRESS',
      )
    return parked(
      'the chain does not answer',
      'restore the RPC endpoint; the transfer then continues',
    )
  }
}

const parked = (reason: string, unblock: string): Preflight => ({ kind: 'parked', reason, unblock })

function isUsed(
  reader: ChainReader,
  asset: Address,
  { from, nonce }: TokenAuthorization,
): Promise<boolean> {
  return reader.readContract({
    address: asset,
    abi: tokenAbi,
    functionName: 'authorizationState',
    args: [from, nonce],
  })
}

/** The short message of a revert; undefined if the call succeeds. */
async function refusalOf(
  reader: ChainReader,
  call: { to: Address; data: Hex; account?: Address },
): Promise<string | undefined> {
  try {
    await reader.call(call)
    return undefined
  } catch (error) {
    if (!isRevert(error)) throw error
    return error instanceof Error && 'shortMessage' in error
      ? String(error.shortMessage)
      : 'it reverts'
  }
}

/** Checks the usual causes one by one. The nonce is first: if it is used, nothing needs repair. */
async function explain(
  reader: ChainReader,
  asset: Address,
  authorization: TokenAuthorization,
  refusal: string,
): Promise<Preflight> {
  const { from, to, value, validAfter, validBefore } = authorization
  if (await isUsed(reader, asset, authorization)) return { kind: 'used' }
  const token = { address: asset, abi: tokenAbi } as const
  if (await flag(reader.readContract({ ...token, functionName: 'paused' })))
    return parked('the token is paused', 'the transfer continues once the token issuer unpauses it')
  for (const account of [from, to]) {
    if (
      await flag(reader.readContract({ ...token, functionName: 'isBlacklisted', args: [account] }))
    ) {
      return parked(
        `${account} is blacklisted by the token`,
        'ask the token issuer, or let the transfer expire',
      )
    }
  }
  const held = await reader.readContract({ ...token, functionName: 'balanceOf', args: [from] })
  if (held < value)
    return parked(
      `${from} holds ${held} of the ${value} atomic units`,
      `fund ${from} with ${value - held} atomic units`,
    )
  const { timestamp } = await reader.getBlock()
  if (timestamp >= validBefore)
    return parked(
      'the authorization has expired',
      'no action: its end is confirmed on a finalized block',
    )
  if (timestamp <= validAfter)
    return parked('the authorization is not valid yet', 'no action: it is sent once it is valid')
  return parked(
    `the transfer reverts: ${refusal.slice(0, 200)}`,
    'check the token and the signature, or let the transfer expire',
  )
}

/** If the token has no such function, the cause does not apply, so a revert means false. */
async function flag(answer: Promise<boolean>): Promise<boolean> {
  try {
    return await answer
  } catch (error) {
    if (isRevert(error)) return false
    throw error
  }
}

const hasGas = ({ fees, gasWalletsWithFunds }: Gas, transferGas: bigint): boolean =>
  gasWalletsWithFunds.some(({ wei }) => wei >= transferGas * fees.maxFeePerGas)
