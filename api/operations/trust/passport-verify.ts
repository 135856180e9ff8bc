import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { PassportClaims } from '#domain/trust/passport.ts'
import { operation } from '../../operation.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'
import { Artifact, ArtifactCheck, ArtifactKey } from './shapes.ts'

/** POST /api/receipt-passport, mode `verify`: a bad passport is a 200 that says why. */
export const passportVerify = operation({
  id: 'passport-verify',
  summary: 'Verify a receipt passport of any wallet; an answer that it is not valid says why.',
  http: { method: 'POST', path: '/api/receipt-passport', host: 'base' },
  access: 'wallet',
  price: limits.priceAtomic,
  limits: { bodyBytes: limits.trustBodyBytesMax },
  errors: ['forbidden_material'],
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('verify'), passport: Artifact }),
  output: z
    .strictObject({
      valid: z.boolean(),
      reasons: z.array(z.string()).meta({ description: 'Why it is not valid, as codes.' }),
      checks: z.array(ArtifactCheck),
      claims: PassportClaims.nullable().meta({
        description: 'Only claims that this service signed.',
      }),
      key: ArtifactKey.nullable(),
      verification_packet: VerificationPacket.nullable(),
    })
    .meta({ id: 'VerifiedPassport' }),
  handle: async ({ passport }, context) => ({
    body: await context.passports.verify(passport),
  }),
})
