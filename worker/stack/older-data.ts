import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import { refuseOlderSchema } from '../../activities/store/postgres/schema-age.ts'
import type { Layout } from './layout.ts'

/** Whether the folder holds Postgres data that no stack with today's schema has used yet. */
export function mayBeOlder(layout: Layout): boolean {
  return existsSync(layout.postgres) && !existsSync(layout.schema)
}

/** Throws with the commands for an export and a fresh start if the data has an older schema. It changes nothing. */
export async function refuseOlderData(url: string, dataDirectory: string): Promise<void> {
  const folder = relative('.', dataDirectory) || '.'
  const { db, close } = createDatabase({ url, applicationName: 'agent-rails stack', poolSize: 1 })
  try {
    await refuseOlderSchema(db, {
      export: `tar -czf agent-rails-data.tgz ${folder}`,
      start: `mv ${folder} ${folder}.older && npm start`,
    })
  } finally {
    await close()
  }
}
