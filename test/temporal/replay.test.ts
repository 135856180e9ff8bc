import { join } from 'node:path'
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { beforeAll, expect } from 'vitest'
import { quiet, quietRuntime } from '../support/quiet.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'
import { historyNames, readHistory } from './histories.ts'
import { recordHistories } from './record-histories.ts'
import { recordServiceHistories } from './record-service-histories.ts'
import { recordTaskHistories } from './record-task-histories.ts'

const root = join(import.meta.dirname, '..', '..')
quietRuntime()
let current: WorkflowBundleWithSourceMap
let drifted: WorkflowBundleWithSourceMap

beforeAll(async () => {
  // `npm run histories` records them after a change of the workflows that is meant to break old runs.
  if (process.env['RECORD_HISTORIES'] === '1') {
    const temporal = await startTemporal()
    await recordHistories(temporal)
      .then(() => recordServiceHistories(temporal))
      .finally(temporal.stop)
    await recordTaskHistories()
  }
  const bundle = (path: string) => {
    const workflowsPath = join(root, path)
    return bundleWorkflowCode({
      workflowsPath,
      workflowInterceptorModules: [join(root, 'workflows/shared/trace.ts')],
      preloadModules: [workflowsPath],
      logger: quiet,
    })
  }
  current = await bundle('workflows/index.ts')
  drifted = await bundle('test/temporal/drifted/index.ts')
})

const names = historyNames()
const replay = (bundle: WorkflowBundleWithSourceMap, name: string) =>
  Worker.runReplayHistory({ workflowBundle: bundle }, readHistory(name))

for (const name of names) {
  verifies('durable.replay', `${name} replays on today's workflows`, () => replay(current, name))
}

verifies(
  'durable.replay',
  'every saved history of these rejects a drifted copy of its workflow',
  async () => {
    const guarded =
      /^(payout|delegation|key-rotation|upload-check|harness|directory|pilot|analysis|firing)-/
    for (const name of names.filter((file) => guarded.test(file))) {
      await expect(replay(drifted, name), name).rejects.toThrow(DeterminismViolationError)
    }
  },
)
