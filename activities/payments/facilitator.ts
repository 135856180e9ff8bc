import { x402Facilitator } from '@x402/core/facilitator'
import { type FacilitatorClient, HTTPFacilitatorClient } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'
import { type FacilitatorEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'
import { paymentId } from '#domain/core/ids.ts'
import { NETWORK } from '#domain/core/limits.ts'
import type { PaymentTerms } from '#domain/payments/payment.ts'
import type { TokenAuthorization } from '../chain/authorization.ts'
import { isChainFault } from '../chain/chain-fault.ts'
import type { ChainReader } from '../chain/client.ts'
import type { GasWalletQueue } from '../chain/gas-wallet-queue.ts'
import { tokenAbi } from '../chain/token.ts'

/** The parts of an in-process facilitator; only a process that settles has a gas wallet queue. */
export type FacilitatorDeps = {
  readonly reader: ChainReader
  readonly asset: Address
  readonly gasWalletQueue?: Pick<GasWalletQueue, 'submit'>
  readonly gas: bigint
  /** How long settle waits for its receipt, in milliseconds. */
  readonly confirmationTimeoutMs: number
}

const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }] as const

/** How long a call waits for the verdict of a remote facilitator. */
const REMOTE_VERIFY_MS = 1_500

/** A remote facilitator. Its supported kinds are fixed here, so that a start needs no network. */
export function remoteFacilitator(url: string): FacilitatorClient {
  const verifier = new HTTPFacilitatorClient({ url, timeoutMs: REMOTE_VERIFY_MS })
  const settler = new HTTPFacilitatorClient({ url })
  return {
    verify: (p, r) => verifier.verify(p, r),
    settle: (p, r) => settler.settle(p, r),
    getSupported,
  }
}

/**
 * The facilitator of the library in this process. A fault of the chain is thrown, because the library would report it as an
 * invalid signature. Settlements use the gas wallet queue, which stores them before they are sent.
 */
export function inProcessFacilitator(deps: FacilitatorDeps): FacilitatorClient {
  const run = async <T>(ask: (facilitator: x402Facilitator) => Promise<T>): Promise<T> => {
    const faults: unknown[] = []
    const scheme = new ExactEvmScheme(signerOf(deps, faults), { simulateInSettle: false })
    const answer = await ask(new x402Facilitator().register(NETWORK, scheme))
    if (faults.length > 0) throw new ChainFault(faults[0])
    return answer
  }
  return {
    verify: async (payload, requirements) => {
      const verdict = await run((facilitator) => facilitator.verify(payload, requirements))
      if (verdict.invalidReason !== SIMULATION_FAILED || !(await isShort(deps, payload)))
        return verdict
      return { ...verdict, invalidReason: INSUFFICIENT_BALANCE }
    },
    settle: (payload, requirements) =>
      run((facilitator) => facilitator.settle(payload, requirements)),
    getSupported,
  }
}

const SIMULATION_FAILED = 'invalid_exact_evm_transaction_simulation_failed'
export const INSUFFICIENT_BALANCE = 'invalid_exact_evm_insufficient_balance'

/** Whether the payer holds less than the amount. The library checks this only on chains with a multicall contract. */
async function isShort(
  { reader, asset }: FacilitatorDeps,
  { payload, accepted }: PaymentPayload,
): Promise<boolean> {
  const { from } = (payload as { authorization: { from: Address } }).authorization
  const held = await reader
    .readContract({ address: asset, abi: tokenAbi, functionName: 'balanceOf', args: [from] })
    .catch((error: unknown) => {
      throw new ChainFault(error)
    })
  return held < BigInt(accepted.amount)
}

/** The chain gave no verdict while a payment was verified or settled. */
class ChainFault extends Error {
  constructor(cause: unknown) {
    super('the chain does not answer', { cause })
    this.name = 'ChainFault'
  }
}

async function getSupported() {
  return { kinds: kinds.map((kind) => ({ ...kind })), extensions: [], signers: {} }
}

/**
 * The facilitator's view of the chain. Failed reads are collected in `faults`, because the library hides them; after the first one,
 * all reads fail immediately.
 */
function signerOf(
  { reader, asset, gasWalletQueue, gas, confirmationTimeoutMs }: FacilitatorDeps,
  faults: unknown[],
): FacilitatorEvmSigner {
  const noting = async <T>(read: () => Promise<T>): Promise<T> => {
    if (faults.length > 0) throw faults[0]
    try {
      return await read()
    } catch (error) {
      if (isChainFault(error)) faults.push(error)
      throw error
    }
  }
  return toFacilitatorEvmSigner(
    {
      address: asset,
      // The library ignores this promise if another check fails first: an unhandled rejection would end the process.
      getCode: (args) => noting(() => reader.getCode(args)).catch(() => undefined),
      readContract: (args) => noting(() => reader.readContract({ ...args, abi: args.abi as Abi })),
      verifyTypedData: () => Promise.reject(new Error('signatures are recovered, not asked for')),
      writeContract: async ({ address, abi, functionName, args }) => {
        if (gasWalletQueue === undefined) throw new Error('this process does not settle')
        // The signer takes the call alone, without the suffix that the library could add.
        const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
        const [payer, nonce] = [String(args[0]), String(args[5])]
        const { txHash } = await gasWalletQueue.submit(
          `payment:${paymentId(asset, payer, nonce)}`,
          {
            to: address.toLowerCase() as Hex,
            data,
            gas,
          },
        )
        return txHash
      },
      sendTransaction: () => Promise.reject(new Error('wallets are not deployed for payers')),
      waitForTransactionReceipt: ({ hash }) =>
        reader.waitForTransactionReceipt({ hash, timeout: confirmationTimeoutMs }),
    },
    { confirmationTimeoutMs },
  )
}

/** The only payload that a facilitator gets, rebuilt from parsed values, so that no other data is sent. */
export function payloadOf(
  terms: PaymentTerms,
  authorization: TokenAuthorization,
  signature: Hex,
): PaymentPayload {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const texts = {
    from,
    to,
    value: value.toString(),
    validAfter: validAfter.toString(),
    validBefore: validBefore.toString(),
    nonce,
  }
  return { x402Version: 2, accepted: { ...terms }, payload: { authorization: texts, signature } }
}
