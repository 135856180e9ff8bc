import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { TestWorkflowEnvironment } from '@temporalio/testing'
import { CLI_VERSION } from './version.ts'

// A separate program, `node download.js FOLDER`, because the download of the SDK cannot be cancelled but a process can be killed.
const [folder = ''] = process.argv.slice(2)
const executable = {
  type: 'cached-download' as const,
  downloadDir: folder,
  version: `v${CLI_VERSION}`,
}
const environment = await TestWorkflowEnvironment.createLocal({ server: { executable } })
await environment.teardown()
const [downloaded] = readdirSync(folder).filter((name) => name.startsWith('temporal-'))
if (downloaded === undefined) throw new Error('the SDK downloaded nothing')
renameSync(join(folder, downloaded), join(folder, 'temporal'))
