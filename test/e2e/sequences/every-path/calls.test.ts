import { afterAll, beforeAll } from 'vitest'
import type { OperationId } from '../../../../api/http/client.ts'
import { startMoneyApis } from '../../../support/money-over-http.ts'
import { verifies } from '../../../verifies.ts'
import { follow, type Row } from './row.ts'
import { callRows } from './rows.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(await startMoneyApis(1, { DIRECTORIES: 'later.example' }))
})
afterAll(() => world?.stop())

for (const [id, row] of Object.entries(callRows))
  verifies('conform.every-path', id, () =>
    follow(world, id as OperationId, row as Row<OperationId>),
  )
