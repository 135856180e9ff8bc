import { ed25519 } from '@noble/curves/ed25519.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'

/** One Ed25519 signature that is to be checked: by this public key (base64url), over the UTF-8 bytes of this text. */
export type SignatureCheck = {
  readonly publicKey: string
  readonly text: string
  readonly signature: Uint8Array
}

/** A result, or the signature that has to be checked first: by `settle` here, or by WebCrypto in a browser. */
export type Opened<T> =
  | { readonly done: T }
  | { readonly check: SignatureCheck; readonly conclude: (valid: boolean) => T }

/** What comes next, once an opened result is there. */
export function after<T, U>(opened: Opened<T>, next: (result: T) => U): Opened<U> {
  if ('done' in opened) return { done: next(opened.done) }
  const { check, conclude } = opened
  return { check, conclude: (valid) => next(conclude(valid)) }
}

/** The result, with the signature checked by this process. */
export const settle = <T>(opened: Opened<T>): T =>
  'done' in opened ? opened.done : opened.conclude(isSignedBy(opened.check))

function isSignedBy({ publicKey, text, signature }: SignatureCheck): boolean {
  try {
    const key = base64urlnopad.decode(publicKey)
    return ed25519.verify(signature, utf8ToBytes(text), key, { zip215: false })
  } catch {
    return false
  }
}
