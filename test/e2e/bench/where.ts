import { median, type Run, round } from './figures.ts'
import { countStatements, everyone, type Fixture, runRound, type Who } from './fixture.ts'

export type Where = {
  postgres: Record<Who, { statements: number; ms: number }>
  statements: { statement: string; calls: number; ms: number }[]
  temporal: Record<Who, Record<string, number>>
  http_ms: number
}

const COUNT = 48

/** What one payout asks of Postgres and of Temporal; counted in rounds of their own, since counting costs something. */
export async function findWhere(fixture: Fixture): Promise<Where> {
  const where: Where = {
    postgres: {} as Where['postgres'],
    temporal: {} as Where['temporal'],
    statements: [],
    http_ms: await httpMs(fixture),
  }
  await countStatements(fixture.rail, 'top')
  for (const who of everyone) {
    await fixture.rail.query('select pg_stat_statements_reset()')
    const { ids } = await runRound(fixture, { who, callers: 8, count: COUNT })
    const counted = await statements(fixture, who)
    const sum = (figure: 'calls' | 'ms') =>
      round(counted.reduce((total, row) => total + row[figure], 0))
    where.postgres[who] = { statements: sum('calls'), ms: sum('ms') }
    if (who === 'rail') where.statements = counted.slice(0, 16)
    where.temporal[who] = await countEvents(fixture, ids[0] ?? '')
  }
  await countStatements(fixture.rail, 'none')
  return where
}

async function statements({ rail, baseline }: Fixture, who: Who) {
  const { rows } = await (who === 'rail' ? rail : baseline).query<{
    statement: string
    calls: number
    ms: number
  }>(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as statement,
        (sum(calls) / $1)::float8 as calls, (sum(total_exec_time) / $1)::float8 as ms
      from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      group by 1 order by sum(total_exec_time) desc`,
    [COUNT],
  )
  return rows.map(({ statement, calls, ms }) => ({ statement, calls: round(calls), ms: round(ms) }))
}

/** Events of the history of one workflow that cost the server or the worker something. */
export async function countEvents({ temporal }: Fixture, workflowId: string) {
  const { events: written } = await temporal.workflow.getHandle(workflowId).fetchHistory()
  const all = written ?? []
  const named = (which: (event: (typeof all)[number]) => unknown) => all.filter(which).length
  return {
    events: all.length,
    'workflow tasks': named((event) => event.workflowTaskCompletedEventAttributes),
    updates: named((event) => event.workflowExecutionUpdateCompletedEventAttributes),
    'local activities': named((event) => event.markerRecordedEventAttributes),
    activities: named((event) => event.activityTaskScheduledEventAttributes),
    timers: named((event) => event.timerStartedEventAttributes),
    'attribute writes': named((event) => event.upsertWorkflowSearchAttributesEventAttributes),
  }
}

/** One request that does nothing, so what HTTP and Express take of each call. */
async function httpMs({ load }: Fixture): Promise<number> {
  await load.ask('prepareHealth', 200)
  const { times } = await load.ask<Run>('runCalls', 1)
  return round(median(times['whole'] ?? []))
}

export function printWhere(where: Where): Where {
  const { postgres, statements: top, temporal, http_ms } = where
  console.log('\nWhere the time goes, for one payout')
  console.table(
    everyone.map((who) => ({
      who,
      'postgres statements': postgres[who].statements,
      'postgres ms': postgres[who].ms,
      ...temporal[who],
    })),
  )
  console.log(
    `An empty HTTP call takes ${http_ms} ms. The rail's statements in Postgres that take longest:`,
  )
  console.table(top)
  return where
}
