import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { createDatabase, isUnavailable, type Tx } from './db.ts'

/** What a release knows of the schema: its version, the oldest program that may use it, and the SHA-256 of each migration by name. */
export type Schema = {
  readonly version: number
  readonly oldestProgram: number
  readonly digests: Readonly<Record<string, string>>
}

/** The commands for a database that `DATABASE_URL` names. */
const databaseCommands: FreshStartCommands = {
  export: 'npx agent-rails database export agent-rails.jsonl.gz',
  start: 'npx agent-rails database start-fresh',
}

/** How an operator exports the data of another schema, and starts without it. */
export type FreshStartCommands = { readonly export: string; readonly start: string }

/** The program and the schema of the database do not fit together; the message is one sentence for an operator. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly fault: string
  readonly remedy: string

  constructor(fault: string, remedy: string) {
    super(`${fault}: ${remedy}.`)
    this.fault = fault
    this.remedy = remedy
  }
}

const MIGRATE = 'run node dist/worker/migrate.js first'

const WATCH_EVERY_MS = 5_000

type State =
  | { readonly is: 'empty' | 'foreign' }
  | { readonly is: 'known'; readonly version: number; readonly oldest_program: number }

export const digestOf = (statements: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(statements)).digest('hex')

/** Whether the tables were made by statements that this release does not know. It only reads. */
export async function hasForeignSchema(tx: Tx, ours: Schema): Promise<boolean> {
  return (await readState(tx, ours)).is === 'foreign'
}

/** Throws a `SchemaError` when the migrations may not be applied. It only reads. */
export async function refuseMigration(
  tx: Tx,
  ours: Schema,
  commands: FreshStartCommands = databaseCommands,
): Promise<void> {
  const state = await readState(tx, ours)
  if (state.is === 'foreign') throw foreign(commands)
  if (state.is === 'known' && state.version > ours.version)
    throw new SchemaError(
      `The database has schema ${state.version}, and this release only schema ${ours.version}`,
      'nothing was changed',
    )
}

/** Why this program may not use the database; undefined where it may. It only reads. */
export async function findMisfit(tx: Tx, ours: Schema): Promise<SchemaError | undefined> {
  const state = await readState(tx, ours)
  return state.is === 'empty'
    ? new SchemaError('The database has no schema', MIGRATE)
    : misfitOf(state, ours)
}

/** Throws a `SchemaError` when this program may not use the database. An unreachable or empty one is left to the readiness check. */
export async function checkSchema(url: string, ours: Schema): Promise<void> {
  const { db, close } = createDatabase({
    url,
    applicationName: 'agent-rails start check',
    poolSize: 1,
    connectTimeoutMs: 2_000,
    queryTimeoutMs: 2_000,
  })
  try {
    await refuseUse(db, ours)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  } finally {
    await close()
  }
}

/** Calls `leave` once this running program may no longer use the database, because a later release took it out of the range. */
export function watchSchema(tx: Tx, ours: Schema, leave: (misfit: SchemaError) => void): void {
  const timer = setInterval(() => {
    refuseUse(tx, ours).catch((error: unknown) => {
      if (!(error instanceof SchemaError)) return
      clearInterval(timer)
      leave(error)
    })
  }, WATCH_EVERY_MS)
  timer.unref()
}

async function refuseUse(tx: Tx, ours: Schema): Promise<void> {
  const misfit = misfitOf(await readState(tx, ours), ours)
  if (misfit !== undefined) throw misfit
}

/** Stores what the applied migrations make. */
export async function storeVersion(tx: Tx, ours: Schema): Promise<void> {
  const digests = JSON.stringify(ours.digests)
  await sql`insert into schema_version (version, oldest_program, migrations)
    values (${ours.version}, ${ours.oldestProgram}, ${digests})
    on conflict (only_row) do update set version = excluded.version,
      oldest_program = excluded.oldest_program, migrations = excluded.migrations
    where schema_version.migrations <> excluded.migrations`.execute(tx)
}

function misfitOf(state: State, ours: Schema): SchemaError | undefined {
  if (state.is === 'foreign') return foreign(databaseCommands)
  if (state.is !== 'known') return undefined
  const { version, oldest_program } = state
  if (version < ours.version)
    return new SchemaError(
      `The database has schema ${version}, and this program needs schema ${ours.version}`,
      MIGRATE,
    )
  if (ours.version >= oldest_program) return undefined
  return new SchemaError(
    `The database has schema ${version}, which programs older than schema ${oldest_program} may not use`,
    'start a newer release',
  )
}

async function readState(tx: Tx, ours: Schema): Promise<State> {
  const { rows: found } = await sql<{ tables: boolean; versioned: boolean }>`
    select to_regclass('public.calls') is not null as tables,
      to_regclass('public.schema_version') is not null as versioned`.execute(tx)
  const { tables = false, versioned = false } = found[0] ?? {}
  if (!versioned) return { is: tables ? 'foreign' : 'empty' }
  const { rows } = await sql<{
    version: number
    oldest_program: number
    migrations: Record<string, string>
  }>`select version, oldest_program, migrations from public.schema_version`.execute(tx)
  const [row] = rows
  if (row === undefined) return { is: 'foreign' }
  const changed = Object.entries(ours.digests).some(
    ([name, digest]) => (row.migrations[name] ?? digest) !== digest,
  )
  const unknown = Object.keys(row.migrations).some((name) => ours.digests[name] === undefined)
  if (changed || (unknown && row.version <= ours.version)) return { is: 'foreign' }
  return { is: 'known', version: row.version, oldest_program: row.oldest_program }
}

const foreign = (commands: FreshStartCommands): SchemaError =>
  new SchemaError(
    'The database has the schema of another build and was not changed',
    `export it with \`${commands.export}\`, then start fresh with \`${commands.start}\``,
  )
