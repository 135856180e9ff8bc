import { bytesIn } from '#domain/core/strict-json.ts'
import { type Opened, type SignatureCheck, settle } from '#domain/verification/signed.ts'

/** The result, with the signature checked by the browser; by the bundled code where the browser does not know Ed25519. */
export async function settleByWebCrypto<T>(opened: Opened<T>): Promise<T> {
  if ('done' in opened) return opened.done
  try {
    return opened.conclude(await isSignedBy(opened.check))
  } catch {
    return settle(opened)
  }
}

async function isSignedBy({ publicKey, text, signature }: SignatureCheck): Promise<boolean> {
  const bytes = bytesIn(publicKey) ?? new Uint8Array()
  const key = await crypto.subtle.importKey('raw', Uint8Array.from(bytes), 'Ed25519', false, [
    'verify',
  ])
  const signed = new TextEncoder().encode(text)
  return crypto.subtle.verify('Ed25519', key, Uint8Array.from(signature), signed)
}
