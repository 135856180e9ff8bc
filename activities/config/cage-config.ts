import type { z } from 'zod'
import { configSchema, parsed } from './config.ts'

const cageSchema = configSchema.pick({
  LOG_LEVEL: true,
  CAGE_SOCKET: true,
  RUN_PROCESSES: true,
  RUN_CPU_MS: true,
  RUN_MEMORY_MB: true,
})

/** The settings of the cage; it knows of no database, no signer and no Temporal. */
export type CageConfig = z.output<typeof cageSchema>

/** Parses the settings of `CageConfig`; throws a readable list of the faults. */
export function loadCageConfig(environment: NodeJS.ProcessEnv = process.env): CageConfig {
  const config = parsed(cageSchema, environment)
  if (config.CAGE_SOCKET === '')
    throw new Error('configuration: CAGE_SOCKET must name the socket that the cage serves')
  return config
}
