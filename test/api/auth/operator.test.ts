import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import { findSession } from '../../../activities/store/agents/operator-sessions.ts'
import { createOperator, findOperator } from '../../../activities/store/agents/operators.ts'
import { authenticateOperator, type FindOperator } from '../../../api/auth/operator.ts'
import { startDatabase, type TestDatabase } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let database: TestDatabase
const find: FindOperator = (id) => findOperator(database.db, id)
const operators = { find, findSession: (secret: string) => findSession(database.db, secret) }

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
