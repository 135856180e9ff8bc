import { z } from 'zod'

export const PilotId = z.string().regex(/^pl_[0-9a-f]{64}$/)
export const PilotToken = z.string().regex(/^pt_[A-Za-z0-9_-]{43}$/)
