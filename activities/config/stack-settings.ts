import { z } from 'zod'
import { parsed } from './config.ts'

const stackSchema = z.object({
  DATA_DIR: z.string().min(1).default('.data'),
  PORT_BASE: z.coerce.number().int().min(1024).max(65_530).optional(),
  XDG_CACHE_HOME: z.string().default(''),
  PATH: z.string().default(''),
})

/** Settings of the embedded stack, and the environment that its processes inherit. */
export type StackSettings = z.output<typeof stackSchema> & { inherited: NodeJS.ProcessEnv }

/** Parses the settings of the embedded stack; throws a readable list of the faults. */
export function loadStackSettings(environment: NodeJS.ProcessEnv = process.env): StackSettings {
  return { ...parsed(stackSchema, environment), inherited: environment }
}
