import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SharedPostgres } from './postgres.ts'
import { SHARED_SERVERS } from './shared-servers.ts'

type Server = SharedPostgres & { stop(): Promise<void> }

/**
 * Vitest's global setup: one PostgreSQL for all files of a run, which starts when the first file asks for it. Its database is
 * the template of the databases of the files, and its files are those that whole stacks begin with. Two runs at once have
 * servers of their own.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[SHARED_SERVERS] !== undefined) return undefined
  let postgres: Promise<Server> | undefined
  const listener = createServer((_request, response) => {
    postgres ??= startTemplate()
    postgres.then(
      ({ url, files }) => response.end(JSON.stringify({ url, files })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  process.env[SHARED_SERVERS] = `http://127.0.0.1:${port}`
  return async () => {
    delete process.env[SHARED_SERVERS]
    listener.close()
    listener.closeAllConnections()
    await (await postgres?.catch(() => undefined))?.stop()
  }
}

/** A server whose database has the schema of the last migration and no session. */
async function startTemplate(): Promise<Server> {
  const { copyFiles, startPostgres } = await import('./postgres.ts')
  const { createDatabase } = await import('../../activities/store/postgres/db.ts')
  const { migrateToLatest } = await import('../../activities/store/postgres/migrate.ts')
  const { url, part, directory, stop } = await startPostgres()
  const { db, close } = createDatabase({ url, applicationName: 'template', poolSize: 1 })
  await migrateToLatest(db).finally(close)
  const files = `${directory}.template`
  await part.stop()
  await copyFiles(directory, files)
  await part.start()
  await part.waitReady()
  return { url, files, stop }
}
