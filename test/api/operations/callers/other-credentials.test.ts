import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AnyOperation, waysOf } from '../../../../api/operation.ts'
import { operations } from '../../../../api/operations/index.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  const most = '100000'
  apis = await startComposed({
    env: {
      LIMIT_ADDRESS_PER_MINUTE: most,
      LIMIT_PUBLIC_READS_PER_MINUTE: most,
      LIMIT_PUBLIC_DOCUMENTS_PER_MINUTE: most,
    },
  })
})
afterAll(() => apis?.stop())

const registry: readonly AnyOperation[] = operations
const isOpenRead = (operation: AnyOperation) =>
  operation.http.method === 'GET' &&
  operation.http.host === 'base' &&
  !operation.http.path.includes('{') &&
  waysOf(operation).includes('public')
const reads = registry.filter(isOpenRead)

async function statusOf({ http }: AnyOperation, authorization?: string): Promise<number> {
  const headers = authorization === undefined ? {} : { authorization }
  const answer = await fetch(`${apis.hosts[0]!.base}${http.path}`, { headers })
  await answer.arrayBuffer()
  return answer.status
}

const wrong = `Bearer op_${randomBytes(8).toString('hex')}_${randomBytes(32).toString('hex')}`

verifies(
  'caller.other-credential',
  'what anyone may read is not refused for the credential of an operator',
  async () => {
    expect(reads.length).toBeGreaterThan(40)
    const ofOperators = reads.filter((read) => waysOf(read).includes('operator'))
    for (const read of reads) {
      const open = await statusOf(read)
      const right = await statusOf(read, `Bearer ${apis.operator}`)
      const mistyped = await statusOf(read, wrong)
      expect([open, right], read.id).not.toContain(401)
      const isNamed = ofOperators.includes(read)
      expect(mistyped, read.id).toBe(isNamed ? 401 : open)
      if (!isNamed) expect(right, read.id).toBe(open)
    }
  },
)

verifies('caller.known', 'what an agent may read refuses a wrong access key', async () => {
  const ofAgents = reads.filter((read) => waysOf(read).includes('agent'))
  expect(ofAgents.length).toBeGreaterThan(10)
  const key = wrong.replace('op_', 'ag_')
  for (const read of ofAgents.slice(0, 5)) expect(await statusOf(read, key), read.id).toBe(401)
})
