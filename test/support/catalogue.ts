import { type Kysely, sql } from 'kysely'
import type { Database } from '../../activities/store/schema/schema.ts'

const ours = (kinds: string) =>
  `from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind in (${kinds})`

const grantsOf = (acl: string) =>
  `(select string_agg(g, ', ' order by g) from (select grantee::regrole || ' ' || privilege_type as g from aclexplode(${acl})) as each)`

/** Each query gives one line of text for one object. */
const queries = [
  `select format('relation %s %s %s', t.relname, t.relkind, t.relpersistence) as line ${ours("'r','v'")}`,
  `select format('column %s.%s %s %s%s default %s identity %s storage %s', t.relname, a.attnum - (
      select count(*) from pg_attribute d where d.attrelid = t.oid and d.attnum between 1 and a.attnum and d.attisdropped),
      a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
      pg_get_expr(f.adbin, f.adrelid), a.attidentity, a.attstorage) as line
    from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef f on f.adrelid = t.oid and f.adnum = a.attnum
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r','v')`,
  `select format('constraint %s.%s %s', t.relname, c.conname, pg_get_constraintdef(c.oid)) as line
    from pg_constraint c join pg_class t on t.oid = c.conrelid where t.relnamespace = 'public'::regnamespace`,
  `select 'index ' || pg_get_indexdef(i.indexrelid) as line
    from pg_index i join pg_class t on t.oid = i.indrelid where t.relnamespace = 'public'::regnamespace`,
  `select 'trigger ' || pg_get_triggerdef(g.oid) as line
    from pg_trigger g join pg_class t on t.oid = g.tgrelid where t.relnamespace = 'public'::regnamespace and not g.tgisinternal`,
  `select 'function ' || regexp_replace(pg_get_functiondef(p.oid), '\\s+', ' ', 'g') as line
    from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  `select format('view %s %s', t.relname, regexp_replace(pg_get_viewdef(t.oid), '\\s+', ' ', 'g')) as line ${ours("'v'")}`,
  `select format('grant on %s: %s', t.relname, ${grantsOf('t.relacl')}) as line ${ours("'r','v','S'")}`,
  `select format('grant on %s.%s: %s', t.relname, a.attname, ${grantsOf('a.attacl')}) as line
    from pg_class t join pg_attribute a on a.attrelid = t.oid
    where t.relnamespace = 'public'::regnamespace and a.attacl is not null`,
  `select format('grant on function %s: %s', p.proname, ${grantsOf('p.proacl')}) as line
    from pg_proc p where p.pronamespace = 'public'::regnamespace`,
  `select format('default grant on %s: %s', d.defaclobjtype, ${grantsOf('d.defaclacl')}) as line from pg_default_acl d`,
  `select format('task transition %s %s %s', from_state, event, to_state) as line from task_transitions`,
]

/** Everything that the migrations made, one line for one object, in a fixed order. */
export async function readCatalogue(db: Kysely<Database>): Promise<string[]> {
  const lines: string[] = []
  for (const query of queries) {
    const { rows } = await sql.raw<{ line: string }>(query).execute(db)
    lines.push(...rows.map(({ line }) => line))
  }
  return lines.sort()
}
