import { ScoutResult } from '#domain/rails/scout/schema.ts'

export const SCOUT_PATH = '/api/service-scout'

const { ranked, excluded, missing, registry_size, registry_sha256 } = ScoutResult.shape
/** What both ways to scout answer. */
export const scouted = {
  ranked: ranked.meta({ description: 'The best first, with the words that fit.' }),
  excluded: excluded.meta({ description: 'Every other service, with the reason.' }),
  missing: missing.meta({ description: 'Parts of the task that no ranked service does.' }),
  registry_size,
  registry_sha256,
}
