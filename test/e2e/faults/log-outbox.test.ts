import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { readAddCheckpoint } from '#domain/log/add-checkpoint.ts'
import { createDatabase } from '../../../activities/store/postgres/db.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { eventually, nowSeconds } from '../../support/agent.ts'
import { storeSigned } from '../../support/log.ts'
import { createWitnessSigner } from '../../support/memory-log.ts'
import { pause, restart } from '../../support/processes.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'
import { checkLog } from '../chaos/checker/check-log.ts'
import { readPostgres } from '../chaos/checker/read-postgres.ts'

const witness = createWitnessSigner()
/** Cosigns whatever it is sent. */
const cosigner = createServer(async (request, answer) => {
  const asked = readAddCheckpoint(await text(request))
  answer.end(asked === undefined ? '' : witness.cosign(asked.note, nowSeconds()))
})
let stack: TestStack
let store: ReturnType<typeof createDatabase>
beforeAll(async () => {
  cosigner.listen(0, '127.0.0.1')
  await once(cosigner, 'listening')
  const url = `http://127.0.0.1:${(cosigner.address() as AddressInfo).port}`
  const env = {
    LOG_EVERY_MS: '20',
    LOG_WITNESSES: `${witness.text} ${url}`,
    CALLBACK_ALLOW_HOSTS: url,
  }
  stack = await startStack({ workers: 1, env })
  store = createDatabase({ url: stack.databaseUrl, applicationName: 'striker', poolSize: 4 })
})
afterAll(async () => {
  await store?.close()
  await stack?.stop()
  cosigner.close()
})

/** After each of these the transaction that does it sleeps, so that a kill meets it there. */
const steps = [
  'insert on log_leaves',
  'insert on log_tiles',
  'delete on log_outbox',
  'insert on log_checkpoints',
  'insert on log_cosignatures',
]
const tableOf = (step: string) => step.split(' ').at(-1) ?? ''

async function pauseAfter(step: string): Promise<void> {
  await sql
    .raw(`create trigger pauses after ${step} for each statement execute function pause_log()`)
    .execute(store.db)
}
const goOn = (step: string) => sql.raw(`drop trigger pauses on ${tableOf(step)}`).execute(store.db)

const sleeping = async () => {
  const { rows } = await sql<{
    pid: number
  }>`select pid from pg_stat_activity where wait_event = 'PgSleep'`.execute(store.db)
  return rows.length
}

/** Has receipts signed without a pause until `stop`, by the service. */
function signing() {
  const operator = operatorOf(stack)
  let stopped = false
  let signed = 0
  const loop = async () => {
    while (!stopped) {
      const done = await operator.call('keys-list', {}).then(
        () => true,
        () => false,
      )
      if (done) signed += 1
      await pause(50)
    }
  }
  const running = loop()
  const stop = async () => {
    stopped = true
    await running
    return signed
  }
  return { stop }
}

const whole = async () => {
  const rows = await readPostgres(stack.databaseUrl)
  return checkLog({ store: rows } as unknown as Parameters<typeof checkLog>[0])
}

verifies(
  'log.killed',
  'a kill at each step of the log loses and repeats no receipt',
  async () => {
    await sql`create function pause_log() returns trigger language plpgsql as $$
      begin perform pg_sleep(2); return null; end $$`.execute(store.db)
    const keysFile = layoutOf(stack.dataDirectory).signingKeys
    const service = signing()
    let count = 0
    for (const step of steps)
      for (const victim of [stack.worker(0), stack.signer]) {
        await pauseAfter(step)
        // Enough for a tile.
        await storeSigned({ db: store.db, keysFile }, count, count + 300)
        count += 300
        await eventually(sleeping, (sessions) => sessions > 0, 30_000, 20)
        await victim.kill('SIGKILL')
        await goOn(step)
        await restart(victim)
      }
    const signed = await service.stop()
    expect(signed).toBeGreaterThan(20)
    expect(await eventually(whole, (complaints) => complaints.length === 0, 30_000)).toEqual([])
    const { receipts, logLeaves } = await readPostgres(stack.databaseUrl)
    expect(receipts.length).toBeGreaterThanOrEqual(count + signed)
    expect(logLeaves).toHaveLength(receipts.length)
    const { rows } = await eventually(
      () =>
        sql<{ size: string }>`select size from log_cosignatures order by size desc`.execute(
          store.db,
        ),
      (found) => Number(found.rows[0]?.size) === logLeaves.length,
      30_000,
    )
    expect(Number(rows[0]?.size)).toBe(logLeaves.length)
    expect(new Set(rows.map(({ size }) => size)).size).toBe(rows.length)
  },
  300_000,
)
