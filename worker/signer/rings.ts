import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import type { SignerConfig } from '../../activities/config/signer-config.ts'
import {
  decodeBase64url,
  decodeCompact,
  encodeBase64url,
  verifyCompact,
} from '../../activities/keys/compact.ts'
import type { KeyRings, Ring } from '../../activities/keys/key-ring.ts'
import { signingPolicyOf } from '../../activities/payouts/signer.ts'
import { openKeyFile } from '../../activities/signer/key-file.ts'
import { publicHalf } from '../../activities/signer/key-maker.ts'
import { createLogGuard, openHeadJournal } from '../../activities/signer/log-guard.ts'
import type { Modules } from '../../activities/signer/modules/module.ts'
import { keyPlaceOf, openHeldRings } from '../../activities/signer/modules/rings.ts'
import {
  keysOf,
  kidParams,
  nextKeyParams,
  SignerRefusal,
  signParams,
} from '../../activities/signer/protocol.ts'
import { createRates } from '../../activities/signer/rates.ts'
import type { Side } from '../../activities/signer/receipt-rules.ts'
import { judgeRequest, ringRates } from '../../activities/signer/ring-policy.ts'
import type { Methods } from '../../activities/signer/serve.ts'

/** Steps of rotations in a second, so that a caller of the socket cannot fill the disk. */
const rotationRates = { rotations: 20 } as const

/**
 * What each socket serves over the rings of SIGNING_KEYS_FILE, which is read again once it has changed: `keys` and `sign`, to workers
 * also the steps of rotations. The journal of signed checkpoints is next to it.
 */
export async function ringMethods(
  config: SignerConfig,
  modules: Modules,
  nowSeconds: () => number = () => Date.now() / 1000,
): Promise<Record<Side, Methods>> {
  const place = keyPlaceOf(config, modules)
  const rings = await openHeldRings(config.SIGNING_KEYS_FILE, place, modules)
  const payouts = signingPolicyOf(config, config.PAYOUT_WALLET_ADDRESS)
  const log = createLogGuard(openHeadJournal(`${config.SIGNING_KEYS_FILE}.journal`))
  const file = openKeyFile(config.SIGNING_KEYS_FILE, place)
  const rotations = createRates(rotationRates)
  const reread = () => rings.receipt.reread?.()
  const common = (side: Side): Methods => {
    const rates = createRates(ringRates)
    return {
      keys: async () => {
        await reread()
        return keysOf(rings)
      },
      sign: async (params) => {
        const { kid, bytes: text, proof } = signParams.parse(params)
        const bytes = decodeBase64url(text)
        const key = keyNamed(rings, kid)
        const claimsOfOurs = (jws: string) => claimsOfReceipt(rings, jws)
        const said = { side, proof, claimsOfOurs, payouts }
        const service = { baseUrl: config.BASE_URL, logContinues: config.LOG_CONTINUES }
        const facts = { ...said, ...service, nowSeconds: nowSeconds() }
        const judged = judgeRequest({ ring: key.ring as Ring, kid }, bytes, facts)
        if ('refused' in judged) throw new SignerRefusal('refused', judged.refused)
        rates.assertWithin(judged.budget)
        if (judged.budget === 'log') await log.admit(bytes, proof.consistency)
        return { signature: encodeBase64url(await key.sign(bytes)) }
      },
    }
  }
  const rotation: Methods = {
    next_key: async (params) => {
      const { ring, rotation_id } = nextKeyParams.parse(params)
      rotations.assertWithin('rotations')
      const asked = { ring, rotationId: rotation_id }
      const made = await file.next(asked, new Date(nowSeconds() * 1000))
      await reread()
      const { kid, publicJwk } = publicHalf(ring, made)
      return { kid, public_jwk: publicJwk }
    },
    activate_key: (params) => changeState('activate', params),
    retire_key: (params) => changeState('retire', params),
    drop_key: (params) => changeState('drop', params),
  }
  return { api: common('api'), worker: { ...common('worker'), ...rotation } }

  async function changeState(
    act: 'activate' | 'retire' | 'drop',
    params: unknown,
  ): Promise<{ kid: string }> {
    const { kid } = kidParams.parse(params)
    rotations.assertWithin('rotations')
    file[act](kid)
    await reread()
    return { kid }
  }
}

/** The claims of a receipt that a key of the file signed, in whatever state it is now. */
function claimsOfReceipt({ receipt }: KeyRings, jws: string) {
  try {
    const { kid } = decodeCompact(jws).header
    const key = receipt.publicKeys.find((one) => one.kid === kid)
    return key && verifyCompact(jws, { typ: RECEIPT_TYP, alg: key.alg, publicJwk: key.publicJwk })
  } catch {
    return undefined
  }
}

/** A key that is published only, or retired, is none that signs. */
function keyNamed(rings: KeyRings, kid: string) {
  const key = Object.values(rings)
    .flatMap(({ keys }) => keys)
    .find((one) => one.kid === kid)
  if (key !== undefined) return key
  throw new SignerRefusal('refused', 'the signer holds no key of this kid that may sign')
}
