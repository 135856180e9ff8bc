import { z } from 'zod'
import { commerceDecisions, missionKinds, protocolBindings } from '#domain/commerce/missions.ts'

export const ProofId = z.string().regex(/^cp_[0-9a-f]{64}$/)
export const ActivityId = z.string().regex(/^ca_[0-9a-f]{64}$/)
export const MissionKind = z.enum(missionKinds)
export const Decision = z.enum(commerceDecisions)
export const Binding = z.enum(protocolBindings)
