import { z } from 'zod'

/** How much of its uploaded lists a step has read, as its heartbeats report it. */
export const StepProgress = z.object({
  bytes_read: z.int().min(0),
  bytes_total: z.int().min(0),
})
export type StepProgress = z.infer<typeof StepProgress>
