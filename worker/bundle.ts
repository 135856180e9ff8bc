import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'

const dist = join(import.meta.dirname, '..')
const silent = () => undefined
const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: console.warn, error: console.error }
const { code } = await bundleWorkflowCode({ workflowsPath: join(dist, 'workflows', 'index.js'), logger })
await writeFile(join(dist, 'workflow-bundle.js'), code)
