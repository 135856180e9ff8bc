import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { expect } from 'vitest'
import { recoverInJavaScript, recoverKey } from '../../../activities/chain/secp256k1.ts'
import { verifies } from '../../verifies.ts'

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

verifies(
  ['proof.signature-form'],
  'both libraries recover the key that signed and agree on forgeries',
  () => {
    fc.assert(
      fc.property(bytes32, bytes32, fc.nat(63), fc.nat(255), (secret, digest, at, flip) => {
        fc.pre(secp256k1.utils.isValidPrivateKey(secret))
        const signature = secp256k1.sign(digest, secret)
        const compact = signature.toCompactRawBytes()
        const recovery = signature.recovery as 0 | 1
        expect(Buffer.from(recoverKey(compact, recovery, digest))).toEqual(
          Buffer.from(secp256k1.getPublicKey(secret, false)),
        )
        compact[at] = (compact[at] as number) ^ flip
        expect(outcome(() => recoverKey(compact, recovery, digest))).toEqual(
          outcome(() => recoverInJavaScript(compact, recovery, digest)),
        )
      }),
      { numRuns: 60 },
    )
  },
)

function outcome(recover: () => Uint8Array): string {
  try {
    return Buffer.from(recover()).toString('hex')
  } catch {
    return 'no key'
  }
}
