import { type Kysely, sql } from 'kysely'
import type { Database } from '../../activities/store/schema/schema.ts'
import { columnTypes, typeSources } from './column-types.ts'

/** The formatter breaks longer lines. */
const LINE_MAX = 100

type Column = {
  table: string
  name: string
  type: string
  nullable: boolean
  generated: boolean
  checks: string[]
}

/** How pg returns the types of Postgres; a type that is not here stops the generator. */
const returned: Readonly<Record<string, string>> = {
  bigint: 'string',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'ColumnType<Date, string, string>',
  integer: 'number',
  numeric: 'string',
  text: 'string',
  'text[]': 'string[]',
  'timestamp with time zone': 'Date',
  uuid: 'string',
  xid8: 'string',
}

const LINE_WIDTH = 100

/** The module that declares every table and view of a migrated database for Kysely. */
export async function tableTypes(db: Kysely<Database>): Promise<string> {
  const columns = await readColumns(db)
  const known = new Set(columns.map(({ table, name }) => `${table}.${name}`))
  const unknown = Object.keys(columnTypes).filter((key) => !known.has(key))
  if (unknown.length > 0) throw new Error(`no such columns: ${unknown.join(', ')}`)
  const tables = [...new Set(columns.map(({ table }) => table))].map((table) => {
    const lines = columns.filter((column) => column.table === table).map(lineFor)
    return `  ${table}: {\n${lines.join('\n')}\n  }`
  })
  const declarations = `export type Database = {\n${tables.join('\n')}\n}\n`
  return `${header(declarations)}\n${declarations}`
}

function header(declarations: string): string {
  const imports = Object.entries(typeSources)
    .filter(([type]) => new RegExp(`\\b${type}\\b`).test(declarations))
    .map(([type, source]) => ({ type, source }))
  const sources = [...new Set(imports.map(({ source }) => source))].sort()
  const lines = sources.map((source) => {
    const types = imports.filter((each) => each.source === source).map(({ type }) => type)
    const line = `import type { ${types.sort().join(', ')} } from '${source}'`
    if (line.length <= LINE_MAX) return line
    return `import type {\n${types.map((type) => `  ${type},`).join('\n')}\n} from '${source}'`
  })
  return `// Made by \`npm run store:types\` from the migrated database. Change the migrations, or test/support/column-types.ts.
import type { ColumnType, Generated } from 'kysely'
${lines.join('\n')}

/** Written as text, because digests are compared with it. */
type Json<T> = ColumnType<T, string, string>
`
}

function lineFor(column: Column): string {
  const parts = column.nullable ? [...members(column), 'null'] : members(column)
  const type = parts.join(' | ')
  const line = `    ${column.name}: ${column.generated ? `Generated<${type}>` : type}`
  if (line.length <= LINE_WIDTH) return line
  return `    ${column.name}:${parts.map((part) => `\n      | ${part}`).join('')}`
}

/** The members of the union that is the type of a column. */
function members({ table, name, type, checks }: Column): string[] {
  const key = `${table}.${name}`
  const declared = columnTypes[key]
  if (type === 'json' || type === 'jsonb') {
    if (declared === undefined) throw new Error(`name the type of ${key} in column-types.ts`)
    return [`Json<${declared}>`]
  }
  if (declared !== undefined) return [declared]
  const values = checks.map(allowedValues).find((found) => found.length > 0)
  if (values !== undefined) return values
  const plain = returned[type]
  if (plain === undefined) throw new Error(`${key} has the type ${type}, which is not known`)
  return [plain]
}

/** The values of `CHECK ((state = ANY (ARRAY['a'::text, 'b'::text])))` or of `CHECK ((kind = 'a'::text))`. */
function allowedValues(check: string): string[] {
  const list = /^CHECK \(\(\w+ = (?:ANY \(ARRAY\[(.*)\]\)|('[^']*'::text))\)\)$/.exec(check)
  const text = list?.[1] ?? list?.[2] ?? ''
  return [...text.matchAll(/'([^']*)'::text/g)].map(([, value]) => `'${value}'`)
}

/** Columns of a view count as never null, because our view reads only such columns. */
async function readColumns(db: Kysely<Database>): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select t.relname as table, a.attname as name, regexp_replace(format_type(a.atttypid, null), '^character varying$', 'text') as type,
      not a.attnotnull and t.relkind = 'r' as nullable, a.atthasdef or a.attidentity <> '' as generated,
      array(select pg_get_constraintdef(c.oid) from pg_constraint c
        where c.conrelid = t.oid and c.contype = 'c' and c.conkey = array[a.attnum]) as checks
    from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'v') and t.relname not like 'kysely\\_%'
    order by t.relname collate "C", a.attnum`.execute(db)
  return rows
}
