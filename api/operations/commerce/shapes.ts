import { z } from 'zod'
import { commerceDecisions, missionKinds, protocolBindings } from '#domain/commerce/missions.ts'
import { isReservedName, SERVICE_PREFIX } from '#domain/commerce/reserved-names.ts'

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
