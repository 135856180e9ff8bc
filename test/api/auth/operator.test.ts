import { createHash, createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { DomainError } from '#domain/core/errors.ts'
import {
  findSession,
  openSession,
  type SessionMacs,
} from '../../../activities/store/operators/operator-sessions.ts'
import { createOperator, findOperator } from '../../../activities/store/operators/operators.ts'
import { createDatabase } from '../../../activities/store/postgres/db.ts'
import { authenticateOperator, type FindOperator } from '../../../api/auth/operator.ts'
import { csrfTokenOf, sessionCookies } from '../../../api/auth/operator-session.ts'
import { startDatabase, type TestDatabase, urlAs } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
const find: FindOperator = (id) => findOperator(database.db, id)
const macs: SessionMacs = (text) => [createHmac('sha256', 'key').update(text).digest('hex')]
const operators = {
  find,
  findSession: (secret: string) => findSession(database.db, secret, macs),
  secure: true,
}

beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

async function codeOf(header: string | string[] | undefined): Promise<string> {
  try {
    return (await authenticateOperator({ authorization: header }, operators)).name
  } catch (error) {
    if (error instanceof DomainError) return error.refusal.code
    throw error
  }
}

verifies(
  'pipeline.operator',
  'an operator is known by its credential; only its SHA-256 is stored',
  async () => {
    const { operatorId, credential } = await createOperator(database.db, 'Ada')
    const [prefix, id, secret = ''] = credential.split('_')
    expect([prefix, id]).toEqual(['op', operatorId])
    expect(Buffer.from(secret, 'hex')).toHaveLength(32)
    expect(
      await authenticateOperator({ authorization: `Bearer ${credential}` }, operators),
    ).toEqual({
      operatorId,
      name: 'Ada',
    })
    const row = await database.db
      .selectFrom('operators')
      .selectAll()
      .where('operator_id', '=', operatorId)
      .executeTakeFirstOrThrow()
    expect(row.secret_sha256).toBe(createHash('sha256').update(secret).digest('hex'))
    expect(JSON.stringify(row)).not.toContain(secret)
  },
)

verifies(
  'pipeline.operator',
  'no credential is operator_required, a wrong one credential_invalid',
  async () => {
    const one = await createOperator(database.db, 'One')
    const two = await createOperator(database.db, 'Two')
    const secret = one.credential.split('_')[2]
    expect(await codeOf(undefined)).toBe('operator_required')
    expect(await codeOf('')).toBe('operator_required')
    const accessKey = `Bearer ag_${'0'.repeat(16)}_${'0'.repeat(64)}`
    expect(await codeOf(accessKey)).toBe('operator_required')
    const wrong = [
      `Basic ${one.credential}`,
      one.credential,
      `Bearer ${one.credential}0`,
      `Bearer op_${two.operatorId}_${secret}`,
      `Bearer op_${'0'.repeat(16)}_${secret}`,
      `Bearer op_${one.operatorId}_${'0'.repeat(64)}`,
      `Bearer op_' or 1=1 --_${secret}`,
      'Bearer ',
    ]
    for (const header of [...wrong, [`Bearer ${one.credential}`, `Bearer ${one.credential}`]])
      expect(await codeOf(header), String(header)).toBe('credential_invalid')
    expect(await codeOf(`bearer ${one.credential}`)).toBe('One')
  },
)

verifies('pipeline.operator', 'a revoked credential is credential_invalid', async () => {
  const { operatorId, credential } = await createOperator(database.db, 'Gone')
  await database.db
    .updateTable('operators')
    .set({ revoked_at: new Date() })
    .where('operator_id', '=', operatorId)
    .execute()
  expect(await codeOf(`Bearer ${credential}`)).toBe('credential_invalid')
})

verifies(
  ['console.session-forged', 'stolen.role-api'],
  'the role of the API opens, prolongs and revives no session',
  async () => {
    const { db, close } = createDatabase({
      url: urlAs('api', database.url),
      applicationName: 'thief',
      poolSize: 1,
    })
    const found = (secret: string) => findSession(db, secret, macs)
    const [mine, ada] = [randomBytes(32).toString('hex'), { operatorId: 'op', name: 'Ada' }]
    try {
      const { secret } = await openSession(db, { ...ada, seconds: 60 }, macs)
      expect(await found(secret)).toMatchObject(ada)
      const { mac } = await db
        .selectFrom('operator_sessions')
        .select('mac')
        .where('session_sha256', '=', sha256Hex(secret))
        .executeTakeFirstOrThrow()
      const row = {
        session_sha256: sha256Hex(mine),
        operator_id: ada.operatorId,
        operator_name: ada.name,
        expires_at: new Date(Date.now() + 60_000),
        ended_at: null,
        mac,
      }
      await db.insertInto('operator_sessions').values(row).execute()
      expect(await found(mine)).toBeUndefined()
      const later = { ...row, session_sha256: 'f'.repeat(64) }
      await expect(
        db
          .insertInto('operator_sessions')
          .values({ ...later, expires_at: new Date(Date.now() + 100 * 365 * 86_400_000) })
          .execute(),
      ).rejects.toMatchObject({ code: '23514' })
      const change = (set: object) =>
        db
          .updateTable('operator_sessions')
          .set(set)
          .where('session_sha256', '=', sha256Hex(secret))
          .execute()
      for (const set of [
        { operator_name: 'Eve' },
        { operator_name: ada.name, expires_at: new Date(Date.now() + 3_600_000) },
      ]) {
        await change(set)
        expect(await found(secret)).toBeUndefined()
      }
      await change({ ended_at: new Date() })
      await expect(change({ ended_at: null })).rejects.toThrow('stays ended')
    } finally {
      await close()
    }
  },
)

verifies('console.session-cookie', 'over HTTPS only a cookie of this host counts', async () => {
  const { secret } = await openSession(
    database.db,
    { operatorId: 'op', name: 'Ada', seconds: 60 },
    macs,
  )
  const nameOf = (cookie: string | undefined) => cookie?.split(';')[0] ?? ''
  const own = sessionCookies(secret, 60, true).map(nameOf)
  expect(own).toEqual([
    `__Host-agent_rails_session=${secret}`,
    `__Host-agent_rails_csrf=${csrfTokenOf(secret)}`,
  ])
  const call = (cookie: string) =>
    authenticateOperator({ cookie, 'x-csrf-token': csrfTokenOf(secret) }, operators)
  expect(await call(own.join('; '))).toMatchObject({ name: 'Ada' })
  const tossed = sessionCookies(secret, 60, false).map(nameOf)
  await expect(call(tossed.join('; '))).rejects.toMatchObject({
    refusal: { code: 'operator_required' },
  })
})
