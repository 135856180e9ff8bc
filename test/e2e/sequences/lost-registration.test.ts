import { Client as Postgres } from 'pg'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/http/client.ts'
import { restart } from '../../support/processes.ts'
import { newAgentClient } from '../../support/registering-agent.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let postgres: Postgres
beforeAll(async () => {
  stack = await startStack()
  postgres = new Postgres({ connectionString: stack.databaseUrl })
  await postgres.connect()
})
afterAll(async () => {
  await postgres?.end()
  await stack?.stop()
})

const run = async (...statements: string[]) => {
  for (const statement of statements) await postgres.query(statement)
}
const setting = (name: string, value: string) => [
  `alter system set ${name} = '${value}'`,
  'select pg_reload_conf()',
]

/** From now on a registration is committed and its commit is never confirmed, as for want of a standby. */
const holdConfirmations = () =>
  run(
    ...setting('synchronous_commit', 'local'),
    `create function wait_for_standby() returns trigger language plpgsql as $$
    begin perform set_config('synchronous_commit', 'on', true); return new; end $$`,
    'create trigger wait_for_standby before insert on agents for each row execute function wait_for_standby()',
    ...setting('synchronous_standby_names', 'absent'),
  )
const confirm = () =>
  run(
    ...setting('synchronous_standby_names', ''),
    'drop trigger wait_for_standby on agents',
    ...setting('synchronous_commit', 'on'),
  )
const waiting = async () => {
  const { rows } = await postgres.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`,
  )
  return rows[0]?.count
}

verifies(
  'caller.registration-signed',
  'after a kill the signed repeat of a registration gets the lost answer',
  async () => {
    const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
    const agent = newAgentClient(hosts)
    const manifest = agent.manifest()
    const open = createClient({ baseUrl: hosts.base })
    await holdConfirmations()
    const lost = open.call('agent-register', manifest).then(
      () => 'answered',
      () => 'lost',
    )
    await expect.poll(waiting, { interval: 20 }).toBe(1)
    await stack.api().kill('SIGKILL')
    expect(await lost).toBe('lost')
    await confirm()
    await restart(stack.api())
    const { rows } = await postgres.query(
      'select agent_id from agents where public_key ->> $1 = $2',
      ['x', manifest.public_key.x],
    )
    expect(rows).toHaveLength(1)
    await expect(open.call('agent-register', manifest)).rejects.toMatchObject({
      code: 'key_already_registered',
    })
    const signing = createClient({ baseUrl: hosts.base, signAsAgent: agent.signText })
    const { status, body, replayed } = await signing.call('agent-register', manifest)
    expect({ status, replayed }).toEqual({ status: 201, replayed: true })
    expect(body.agent).toEqual(expect.objectContaining(rows[0]))
    expect(await agent.status(body.status_token)).toMatchObject({ trust_state: 'submitted' })
  },
)
