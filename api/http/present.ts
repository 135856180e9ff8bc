import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import type { Hex } from '#domain/core/ids.ts'
import {
  type BindingFacts,
  holderBindingHeaders,
  holderBindingText,
  keyBindingPayload,
  sha256Base64url,
} from '#domain/payouts/holder-binding.ts'

/** What a holder presents: the issued mandate, ending in `~`, and the challenge it answers; `issuedAt` in Unix seconds. */
export type ToPresent = BindingFacts & { readonly mandate: string; readonly issuedAt: number }
/** Signs a raw 32-byte digest, as `account.sign` of a viem local account does. */
export type DigestSigner = { sign(request: { hash: Hex }): Promise<Hex> }
/** Signs a message with personal_sign, as viem accounts and wallet clients do. */
export type MessageSigner = {
  readonly address: string
  signMessage(request: { message: string }): Promise<Hex>
}

/** A presentation with a version 1 binding: an `ES256K kb+jwt` over the raw SHA-256 digest, for holders with a raw-digest signer. */
export async function presentVersion1(signer: DigestSigner, toPresent: ToPresent): Promise<string> {
  const input = signingInput(1, toPresent)
  const signature = await signer.sign({ hash: `0x${bytesToHex(sha256(utf8ToBytes(input)))}` })
  return `${toPresent.mandate}${input}.${base64urlnopad.encode(hexToBytes(signature.slice(2)).subarray(0, 64))}`
}

/** A presentation with a version 2 binding: personal_sign over the `service-holder-binding-v2` text, for any wallet. */
export async function presentVersion2(
  signer: MessageSigner,
  toPresent: ToPresent & { readonly origin: string; readonly expiresAt: number },
): Promise<string> {
  const sdHash = sha256Base64url(toPresent.mandate)
  const message = holderBindingText({ ...toPresent, holder: signer.address, sdHash })
  const signature = await signer.signMessage({ message })
  return `${toPresent.mandate}${signingInput(2, toPresent)}.${base64urlnopad.encode(hexToBytes(signature.slice(2)))}`
}

function signingInput(version: 1 | 2, toPresent: ToPresent): string {
  const payload = keyBindingPayload(
    toPresent,
    sha256Base64url(toPresent.mandate),
    toPresent.issuedAt,
  )
  return [holderBindingHeaders[version], payload]
    .map((part) => base64urlnopad.encode(utf8ToBytes(JSON.stringify(part))))
    .join('.')
}
