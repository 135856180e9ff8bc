import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'

const dist = join(import.meta.dirname, '..')
const silent = () => undefined
const logger = {
  log: silent,
  trace: silent,
  debug: silent,
  info: silent,
  warn: console.warn,
  error: console.error,
}
const workflowsPath = join(dist, 'workflows', 'index.js')
// Loaded once for each thread instead of for each run: the modules keep no state, and are frozen.
const { code } = await bundleWorkflowCode({
  workflowsPath,
  workflowInterceptorModules: [join(dist, 'workflows', 'shared', 'trace.js')],
  preloadModules: [workflowsPath],
  logger,
})
await writeFile(join(dist, 'workflow-bundle.js'), code)
