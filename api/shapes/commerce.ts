import { z } from 'zod'
import { commerceDecisions, missionKinds, protocolBindings } from '#domain/commerce/missions.ts'
import { isReservedName, SERVICE_PREFIX } from '#domain/commerce/reserved-names.ts'
import { limits } from '#domain/core/limits.ts'
import { Address, Digest, freeText, IdempotencyKey, ReceiptId, Time } from '../fields.ts'
import { AgentId } from './agents.ts'
import { Receipt } from './receipts.ts'

export const ProofId = z.string().regex(/^cp_[0-9a-f]{64}$/)
export const ActivityId = z.string().regex(/^ca_[0-9a-f]{64}$/)
export const MissionKind = z.enum(missionKinds)
export const Decision = z.enum(commerceDecisions)
export const Binding = z.enum(protocolBindings)

/** A name that a caller gives to an item, in letters that look like no others: never one of this service's own statements. */
export const ItemName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/)
  .refine((value) => !isReservedName(value), {
    message: `names that begin with ${SERVICE_PREFIX} are those of this service`,
  })
  .meta({ examples: ['report.md'] })

const content = freeText(limits.artifactCharsMax, 1)
const bytes = z.int().min(0).max(1_000_000_000)

/** A list whose members differ in the member that names them. */
export const named = <Item extends z.ZodType>(item: Item, by: string, most: number) =>
  z
    .array(item)
    .max(most)
    .refine((items) => new Set(items.map((one) => Object(one)[by])).size === items.length, {
      message: `must not hold two members of the same ${by}`,
    })

const Claims = z
  .array(z.strictObject({ claim: freeText(500, 1), artifact: ItemName }))
  .max(50)
  .default([])

/** The request of a commerce proof; published as commerce-proof.v1.json. */
export const CommerceProofInput = z.strictObject({
  schema_version: z.literal('v1'),
  mission: z.strictObject({
    mission_id: IdempotencyKey,
    kind: MissionKind,
    objective: freeText(2000, 1),
    publication_consent: z.boolean().default(false),
  }),
  agent: z
    .strictObject({
      agent_id: AgentId.optional(),
      name: freeText(120, 1).optional(),
      wallet: Address.optional(),
    })
    .refine(({ agent_id, name: called }) => (agent_id ?? called) !== undefined, {
      message: 'give agent_id or name',
    })
    .meta({ anyOf: [{ required: ['agent_id'] }, { required: ['name'] }] }),
  return_package: z.union([
    z.strictObject({
      return_package_id: z.string().regex(/^rp_[0-9a-f]{64}$/),
      claims: Claims,
    }),
    z.strictObject({
      artifacts: named(
        z.strictObject({
          name: ItemName,
          sha256: Digest,
          bytes: bytes.optional(),
          content: content.optional(),
        }),
        'name',
        50,
      ),
      claims: Claims,
    }),
  ]),
  evidence: named(
    z.strictObject({
      id: ItemName,
      sha256: Digest,
      text: content.optional(),
      dated: Time.optional(),
      receipt_id: ReceiptId.optional(),
    }),
    'id',
    50,
  )
    .refine((items) => items.filter(({ receipt_id }) => receipt_id !== undefined).length <= 10, {
      message: 'must not name more than 10 receipts',
    })
    .default([]),
  payment: z
    .strictObject({
      payment_reference_id: z.string().regex(/^pr_[0-9a-f]{64}$/),
      amount_usd: z.int().min(1).max(1_000_000).optional(),
    })
    .optional(),
  authority: z.strictObject({ mandate_id: z.string().regex(/^mdt_[0-9a-f]{64}$/) }).optional(),
  protocol_binding: Binding.optional(),
  idempotency_key: IdempotencyKey.optional(),
})

export const Passport = z
  .strictObject({ ...Receipt.shape, claims: z.looseObject({}), verify_url: z.string() })
  .meta({ id: 'AgentCommercePassport' })
