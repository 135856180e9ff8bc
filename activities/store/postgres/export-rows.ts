import type pg from 'pg'

const FETCHED_AT_ONCE = 1000

type Line = { line: string }

/**
 * Every row of every table in the schema `public`, in one consistent read, for a schema of any age. Each one is a
 * line of JSON: `{"table": …, "row": {…}}`.
 */
export async function* exportRows(pool: pg.Pool): AsyncGenerator<string> {
  const client = await pool.connect()
  let finished = false
  try {
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ relname: string }>(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
    for (const { relname } of rows) yield* rowsOfTable(client, relname)
    await client.query('commit')
    finished = true
  } finally {
    // An interrupted export closes its connection.
    client.release(!finished)
  }
}

async function* rowsOfTable(client: pg.PoolClient, table: string): AsyncGenerator<string> {
  const name = `public.${client.escapeIdentifier(table)}`
  await client.query(
    `declare exported cursor for select json_build_object('table', ${client.escapeLiteral(table)}, 'row', to_json(exported_row))::text as line from ${name} exported_row`,
  )
  for (;;) {
    const { rows } = await client.query<Line>(`fetch ${FETCHED_AT_ONCE} from exported`)
    for (const { line } of rows) yield `${line}\n`
    if (rows.length < FETCHED_AT_ONCE) break
  }
  await client.query('close exported')
}
