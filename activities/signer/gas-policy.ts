import {
  decodeFunctionData,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  size,
  toFunctionSelector,
} from 'viem'
import { authorizationDigest, type TokenAuthorization } from '../chain/authorization.ts'
import { recoverSigner } from '../chain/wallet-signature.ts'
import type { GasRequest } from './protocol.ts'

/** The token whose transfers gas wallets send, between which addresses, and the most that one transaction may cost. */
export type GasPolicy = {
  readonly asset: Hex
  readonly payoutWallet: Hex
  readonly payTo: Hex
  readonly feeMaxWei: bigint
}

/** Both forms of EIP-3009: with the signature as bytes, and as `v`, `r` and `s`. */
const forms = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const GAS_MAX = 500_000n
/** The signature of an account with code may be longer than that of a key. */
const SIGNATURE_BYTES_MAX = 2_048

/** Why a transaction of a gas wallet is refused; undefined for a transfer of the token by authorization, and for an empty one to itself. */
export function gasRefusal(request: GasRequest, policy: GasPolicy): string | undefined {
  const { wallet, to, data, gas, max_fee_per_gas } = request
  if (BigInt(gas) > GAS_MAX) return `the gas is above ${GAS_MAX}`
  const fee = BigInt(gas) * BigInt(max_fee_per_gas)
  if (fee > policy.feeMaxWei) return `the fee of ${fee} wei is above ${policy.feeMaxWei}`
  if (to === wallet && data === '0x') return undefined
  const transfer = to === policy.asset ? transferOf(data) : undefined
  return transfer === undefined
    ? 'the transaction is neither a transfer of the token by authorization nor an empty one to itself'
    : transferRefusal(transfer, policy)
}

type Transfer = { authorization: TokenAuthorization; signature: Hex | undefined }

/** Only a payout leaves the payout wallet, which has to have signed it; all others pay the service. The token judges signatures of payers. */
function transferRefusal(
  { authorization, signature }: Transfer,
  { asset, payoutWallet, payTo }: GasPolicy,
): string | undefined {
  const { from, to, value } = authorization
  if (value === 0n) return 'the transfer moves nothing'
  if (from !== payoutWallet)
    return to === payTo
      ? undefined
      : 'the transfer is neither a payout nor a payment to the service'
  const isSigned =
    signature !== undefined &&
    recoverSigner(authorizationDigest(asset, authorization), signature) === payoutWallet
  return isSigned ? undefined : 'the payout wallet has not signed this transfer'
}

/** The call that exactly these bytes are, every argument read; undefined for any other bytes. */
function transferOf(data: Hex): Transfer | undefined {
  const form = forms.find((one) => data.startsWith(toFunctionSelector(one)))
  if (form === undefined) return undefined
  try {
    const { args } = decodeFunctionData({ abi: forms, data })
    const again: EncodeFunctionDataParameters = { abi: [form], args }
    if (encodeFunctionData(again) !== data) return undefined
    const [from, to, value, validAfter, validBefore, nonce, ...signed] = args
    const [signature] = signed
    if (typeof signature === 'string' && size(signature) > SIGNATURE_BYTES_MAX) return undefined
    const parties = { from: lower(from), to: lower(to) }
    return {
      authorization: { ...parties, value, validAfter, validBefore, nonce },
      // The service sends its own in the form with bytes.
      signature: typeof signature === 'string' ? signature : undefined,
    }
  } catch {
    return undefined
  }
}

const lower = (address: string): Hex => address.toLowerCase() as Hex
