import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import { beforeAll, expect } from 'vitest'
import { quiet, quietRuntime } from '../support/quiet.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'
import { recordHistories } from './record-histories.ts'
import { recordTaskHistories } from './record-task-histories.ts'

const root = join(import.meta.dirname, '..', '..')
const directory = join(root, 'temporal', 'histories')
quietRuntime()
let current: WorkflowBundleWithSourceMap
let drifted: WorkflowBundleWithSourceMap

beforeAll(async () => {
  // `npm run histories` records them anew, after a change of the workflows that is meant to break old runs.
  if (process.env['RECORD_HISTORIES'] === '1') {
    const temporal = await startTemporal()
    await recordHistories(temporal, directory).finally(temporal.stop)
    await recordTaskHistories(directory)
  }
  const bundle = (path: string) => {
    const workflowsPath = join(root, path)
    return bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath], logger: quiet })
  }
  current = await bundle('workflows/index.ts')
  drifted = await bundle('test/temporal/drifted/index.ts')
}, 180_000)

const names = readdirSync(directory).filter((name) => name.endsWith('.json'))
const replay = (bundle: WorkflowBundleWithSourceMap, name: string) =>
  Worker.runReplayHistory({ workflowBundle: bundle }, JSON.parse(readFileSync(join(directory, name), 'utf8')))

for (const name of names) {
  verifies('durable.replay', `${name} replays on the workflows of today`, () => replay(current, name))
}

verifies('durable.replay', 'a drifted copy of the payout workflow is rejected by every saved payout', async () => {
  for (const name of names.filter((file) => file.startsWith('payout-'))) {
    await expect(replay(drifted, name), name).rejects.toThrow(DeterminismViolationError)
  }
})
