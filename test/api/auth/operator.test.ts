import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { createDatabase, type OpenDatabase } from '../../../activities/store/db.ts'
import { migrateToLatest } from '../../../activities/store/migrate.ts'
import { createOperator, findOperator } from '../../../activities/store/operators.ts'
import { authenticateOperator, type FindOperator } from '../../../api/auth/operator.ts'
import { DomainError } from '../../../workflows/domain/errors.ts'
import { startPostgres } from '../../support/postgres.ts'
import { verifies } from '../../verifies.ts'

let postgres: Awaited<ReturnType<typeof startPostgres>>
let open: OpenDatabase
const find: FindOperator = (id) => findOperator(open.db, id)

beforeAll(async () => {
  postgres = await startPostgres()
  open = createDatabase({ url: postgres.url, applicationName: 'test' })
  await migrateToLatest(open.db)
})
afterAll(async () => {
  await open?.close()
  await postgres?.stop()
})

async function codeOf(header: string | string[] | undefined): Promise<string> {
  try {
    return (await authenticateOperator(header, find)).name
  } catch (error) {
    if (error instanceof DomainError) return error.refusal.code
    throw error
  }
}

verifies(
  'road.operator',
  'a created operator is known by its credential, of which only the SHA-256 is stored',
  async () => {
    const { operatorId, credential } = await createOperator(open.db, 'Ada')
    const [prefix, id, secret = ''] = credential.split('_')
    expect([prefix, id]).toEqual(['op', operatorId])
    expect(Buffer.from(secret, 'hex')).toHaveLength(32)
    expect(await authenticateOperator(`Bearer ${credential}`, find)).toEqual({ operatorId, name: 'Ada' })
    const row = await open.db
      .selectFrom('operators')
      .selectAll()
      .where('operator_id', '=', operatorId)
      .executeTakeFirstOrThrow()
    expect(row.secret_sha256).toBe(createHash('sha256').update(secret).digest('hex'))
    expect(JSON.stringify(row)).not.toContain(secret)
  },
)

verifies('road.operator', 'a missing credential is operator_required, any wrong one credential_invalid', async () => {
  const one = await createOperator(open.db, 'One')
  const two = await createOperator(open.db, 'Two')
  const secret = one.credential.split('_')[2]
  expect(await codeOf(undefined)).toBe('operator_required')
  expect(await codeOf('')).toBe('operator_required')
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
})

verifies('road.operator', 'a revoked credential is credential_invalid', async () => {
  const { operatorId, credential } = await createOperator(open.db, 'Gone')
  await open.db.updateTable('operators').set({ revoked_at: new Date() }).where('operator_id', '=', operatorId).execute()
  expect(await codeOf(`Bearer ${credential}`)).toBe('credential_invalid')
})
