import { afterAll, beforeAll } from 'vitest'
import type { OperationId } from '../../../../api/http/client.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { providerIn } from '../../../support/provider.ts'
import { verifies } from '../../../verifies.ts'
import { pathRows } from './aliases.ts'
import { follow, type Row } from './row.ts'
import { workRows } from './rows.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  const limits = { HARNESS_RUNS_PER_HOUR: '100', HARNESS_RUNS_PER_DAY: '500' }
  const DIRECTORIES = 'other.example https://directory.northwind.example/submit'
  const env = { LIMIT_AGENT_PER_MINUTE: '6000', DIRECTORIES, ...limits }
  // The other service believes a payment provider, and this one none.
  world = await openWorld(await startComposedTasks(env), providerIn)
})
afterAll(() => world?.stop())

for (const [id, row] of Object.entries(workRows))
  verifies('conform.every-path', id, () =>
    follow(world, id as OperationId, row as Row<OperationId>),
  )
for (const [path, row] of Object.entries(pathRows))
  verifies('conform.every-path', path, () =>
    follow(world, 'agent-tools', { ...(row as Row<OperationId>), at: path }),
  )
