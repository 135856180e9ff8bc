import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { BaseError, encodeFunctionData, type Hex, hashMessage, parseAbi } from 'viem'
import { refuse } from '#domain/core/errors.ts'
import { isRevert } from './chain-fault.ts'
import { openNodes, readerOf } from './client.ts'
import { recoverKey } from './secp256k1.ts'

/** Decides whether a wallet made a signature; a wallet with code may need the chain, and then throws 503 `unavailable` without it. */
export type WalletSignatures = {
  /** Over the EIP-191 hash of a message (personal_sign); `mayAskOthers` throws where the chain may not be asked for this caller. */
  verify(
    wallet: Hex,
    message: string,
    signature: Hex,
    mayAskOthers?: () => Promise<void>,
  ): Promise<boolean>
  /** Over a 32-byte digest without a prefix. */
  verifyDigest(wallet: Hex, digest: Hex, signature: Hex): Promise<boolean>
}

/**
 * The lowercase address that made a 65-byte signature over a 32-byte digest; undefined for any other length, for v other
 * than 27 or 28, and for the high-s twin that makes a signature malleable (EIP-2).
 */
export function recoverSigner(digest: Hex, signature: Hex): Hex | undefined {
  if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined
  const bytes = hexToBytes(signature.slice(2))
  const v = bytes[64]
  if (v !== 27 && v !== 28) return undefined
  try {
    const compact = bytes.subarray(0, 64)
    if (secp256k1.Signature.fromCompact(compact).hasHighS()) return undefined
    const publicKey = recoverKey(compact, v === 27 ? 0 : 1, hexToBytes(digest.slice(2)))
    return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`
  } catch {
    return undefined
  }
}

const eip1271 = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])
// The whole word is compared: the identity precompile echoes the selector, followed by the digest instead of zeros.
const MAGIC_WORD = `0x1626ba7e${'0'.repeat(56)}`
const CONTRACT_GAS: Hex = '0x30d40'

/**
 * Recovers the signer first, and asks the code of the account (EIP-1271) only on a mismatch: one `eth_call` of 200,000 gas.
 * `timeoutMs` limits that call over all `rpcUrls`, which are tried in order.
 */
export function createWalletSignatures({
  rpcUrls,
  timeoutMs,
}: {
  rpcUrls: readonly string[]
  timeoutMs: number
}): WalletSignatures {
  const client = readerOf(openNodes(rpcUrls, timeoutMs))

  const contractAccepts = async (wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> => {
    const data = encodeFunctionData({ abi: eip1271, args: [digest, signature] })
    try {
      const answer = await client.request({
        method: 'eth_call',
        params: [{ to: wallet, data, gas: CONTRACT_GAS }, 'latest'],
      })
      return answer === MAGIC_WORD
    } catch (error) {
      if (isVerdict(error)) return false
      throw refuse('unavailable', {
        detail: 'the chain does not answer, and this wallet may be a contract',
        next_action: 'Repeat the call later.',
        money_moved: 'no',
        retry_after_ms: 1000,
      })
    }
  }

  const isRecovered = (wallet: Hex, digest: Hex, signature: Hex): boolean =>
    recoverSigner(digest, signature) === wallet.toLowerCase()

  return {
    verifyDigest: async (wallet, digest, signature) =>
      isRecovered(wallet, digest, signature) || contractAccepts(wallet, digest, signature),
    verify: async (wallet, message, signature, mayAskOthers) => {
      const digest = hashMessage(message)
      if (isRecovered(wallet, digest, signature)) return true
      await mayAskOthers?.()
      return contractAccepts(wallet, digest, signature)
    },
  }
}

/** Whether the code was run: a revert, or running out of gas. Any other error says nothing about the signature. */
const isVerdict = (error: unknown): boolean =>
  isRevert(error) ||
  (error instanceof BaseError &&
    /out ?of ?gas|opcode|stack ?(under|over)flow|invalid ?jump/i.test(error.details))
