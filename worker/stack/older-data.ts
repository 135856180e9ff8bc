import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { readSecret } from '../../activities/config/secret-file.ts'
import { createDatabase } from '../../activities/store/postgres/db.ts'
import { ourSchema } from '../../activities/store/postgres/migrate.ts'
import { digestOf, refuseMigration } from '../../activities/store/postgres/schema-version.ts'
import type { Layout } from './layout.ts'

/** What the layout keeps of the schema that its data has. */
export const schemaMark = { digest: digestOf(Object.values(ourSchema.digests)) }

/** Whether the folder holds Postgres data that no stack with today's schema has used yet. */
export function mayBeOlder(layout: Layout): boolean {
  const known = readSecret<typeof schemaMark>(layout.schema)
  return existsSync(layout.postgres) && known?.digest !== schemaMark.digest
}

/** Throws with the commands for an export and a fresh start if the data has the schema of another build. It changes nothing. */
export async function refuseOlderData(url: string, dataDirectory: string): Promise<void> {
  const folder = relative('.', dataDirectory) || '.'
  const { db, close } = createDatabase({ url, applicationName: 'agent-rails stack', poolSize: 1 })
  try {
    await refuseMigration(db, ourSchema, {
      export: `tar -czf agent-rails-data.tgz ${folder}`,
      start: `mv ${folder} ${folder}.older && npm start`,
    })
  } finally {
    await close()
  }
}
