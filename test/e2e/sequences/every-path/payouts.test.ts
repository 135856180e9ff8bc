import { afterAll, beforeAll, expect } from 'vitest'
import type { OperationId } from '../../../../api/http/client.ts'
import { openRail, type Rail } from '../../../support/agent.ts'
import type { ComposedApis } from '../../../support/composed-api.ts'
import { startStack, type TestStack } from '../../../support/stack.ts'
import { verifies } from '../../../verifies.ts'
import { payoutIds, payoutRows } from './payouts.ts'
import { follow, type Row } from './row.ts'
import { openWorld, type World } from './world.ts'

let stack: TestStack
let rail: Rail
let world: World
let rows: ReturnType<typeof payoutRows>
beforeAll(async () => {
  stack = await startStack()
  rail = await openRail(stack)
  const [base, os] = [stack.baseUrls[0] as string, stack.osUrls[0] as string]
  const apis = {
    hosts: [{ base, os }],
    operator: stack.accounts.operator.credential,
    config: { BASE_URL: base, OS_URL: os },
    db: rail.db,
    stop: () => stack.stop(),
  }
  world = await openWorld(apis as unknown as ComposedApis)
  rows = payoutRows(rail, await rail.openAgent({ tokens: 10_000_000n }))
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

verifies('conform.every-path', 'the rows of payouts are those that are listed', () => {
  expect(Object.keys(rows)).toEqual(payoutIds)
})

for (const id of payoutIds)
  verifies('conform.every-path', id, () => follow(world, id, rows[id] as Row<OperationId>))
