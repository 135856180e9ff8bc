import { decodeFunctionData, type Hex, parseTransaction } from 'viem'
import type { TokenAuthorization } from '../../../activities/chain/authorization.ts'
import { tokenAbi } from '../../../activities/chain/token.ts'

/** The authorization of a token and its signature, as a signed raw transaction carries them; throws when it carries none. */
export function decodeTransfer(raw: Hex): {
  asset: Hex
  authorization: TokenAuthorization
  signature: Hex
} {
  const { to: asset, data = '0x' } = parseTransaction(raw as `0x02${string}`)
  const { functionName, args } = decodeFunctionData({ abi: tokenAbi, data })
  if (functionName !== 'transferWithAuthorization' || !asset)
    throw new Error(`the transaction calls ${functionName}`)
  const [from, to, value, validAfter, validBefore, nonce, signature] = args
  return { asset, authorization: { from, to, value, validAfter, validBefore, nonce }, signature }
}
