import { z } from 'zod'
import { mandateStates } from '#domain/authority/facts.ts'
import { Time } from '../../fields.ts'

/** What mandates of AP2 are worth now. */
export const Ap2InspectionShape = z
  .strictObject({
    valid: z.boolean().meta({ description: 'Every check holds and no constraint is broken.' }),
    state: z.enum(mandateStates).nullable(),
    checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
    constraints: z.array(
      z.strictObject({
        constraint: z.string(),
        verdict: z.enum(['met', 'broken', 'not_judged']).meta({
          description: 'Not judged: only a closed mandate, or the checkout with it, decides.',
        }),
        rule: z.string(),
        details: z.array(z.string()).meta({ description: 'What is broken.' }),
      }),
    ),
    budget: z
      .strictObject({
        currency: z.string().nullable(),
        total: z.string().nullable(),
        spent: z.string().nullable(),
        left: z.string().nullable(),
        uses: z.int(),
        uses_max: z.int().nullable(),
        last_paid_at: Time.nullable(),
      })
      .nullable()
      .meta({
        description:
          'As the rows have it, exact and in major units; null if not genuine or not shown.',
      }),
    key: z
      .strictObject({
        issuer: z.string(),
        kid: z.string(),
        alg: z.string(),
        standing: z.enum(['published', 'active', 'retired', 'revoked']),
        activated_at: Time.nullable(),
        retired_at: Time.nullable(),
        revoked_at: Time.nullable(),
      })
      .nullable()
      .meta({ description: 'Of the issuer, as it stands now.' }),
    mandates: z
      .strictObject({
        open_payment: z.looseObject({}).nullable(),
        payment: z.looseObject({}).nullable(),
        open_checkout: z.looseObject({}).nullable(),
        checkout: z.looseObject({}).nullable(),
      })
      .meta({ description: 'What each says, also where a check fails.' }),
  })
  .meta({ id: 'Ap2Inspection' })
