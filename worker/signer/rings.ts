import { parseCheckpointText } from '#domain/log/checkpoint.ts'
import type { SignerConfig } from '../../activities/config/config.ts'
import { decodeBase64url, encodeBase64url } from '../../activities/keys/compact.ts'
import { type KeyRings, loadKeyRings, type Ring } from '../../activities/keys/key-ring.ts'
import { keysOf, SignerRefusal, signParams } from '../../activities/signer/protocol.ts'
import { createRates } from '../../activities/signer/rates.ts'
import { judgeRequest, ringRates } from '../../activities/signer/ring-policy.ts'
import type { Methods } from '../../activities/signer/serve.ts'

/** `keys` and `sign` over the rings of SIGNING_KEYS_FILE, which is read again once it has changed. */
export function ringMethods(
  config: Pick<SignerConfig, 'SIGNING_KEYS_FILE' | 'BASE_URL'>,
  nowSeconds: () => number = () => Date.now() / 1000,
): Methods {
  const rings = loadKeyRings(config.SIGNING_KEYS_FILE)
  const rates = createRates(ringRates)
  const log = createLogGuard()
  return {
    keys: async () => {
      await rings.receipt.reread?.()
      return keysOf(rings)
    },
    sign: async (params) => {
      const { kid, bytes: text } = signParams.parse(params)
      const bytes = decodeBase64url(text)
      const key = keyNamed(rings, kid)
      const facts = { baseUrl: config.BASE_URL, nowSeconds: nowSeconds() }
      const judged = judgeRequest({ ring: key.ring as Ring, kid }, bytes, facts)
      if ('refused' in judged) throw new SignerRefusal('refused', judged.refused)
      if (judged.budget === 'log') log.assertGrowing(bytes)
      rates.assertWithin(judged.budget)
      return { signature: encodeBase64url(await key.sign(bytes)) }
    },
  }
}

function keyNamed(rings: KeyRings, kid: string) {
  const key = Object.values(rings)
    .flatMap(({ keys }) => keys)
    .find((one) => one.kid === kid)
  if (key !== undefined) return key
  throw new SignerRefusal('refused', 'the signer holds no key of this kid')
}

/** The log only grows: no checkpoint is signed that is smaller than one before it, as far as this process remembers. */
function createLogGuard() {
  let largest = 0
  return {
    assertGrowing(bytes: Uint8Array): void {
      const checkpoint = parseCheckpointText(Buffer.from(bytes).toString('utf8'))
      if (checkpoint === undefined) return
      if (checkpoint.size < largest)
        throw new SignerRefusal('refused', `a checkpoint of ${largest} entries is signed already`)
      largest = checkpoint.size
    },
  }
}
