import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker'
import { packageRoot } from '../../activities/config/package-root.ts'
import { quiet } from './quiet.ts'
import { testCache } from './test-cache.ts'

const workflows = join(packageRoot, 'workflows')
const workflowsPath = join(workflows, 'index.ts')

/** The workflows, with another file in place of `shared/timing.ts` when `timing` names one. Each version is bundled once. */
export async function bundleWorkflows(timing?: string): Promise<WorkflowBundleWithSourceMap> {
  const file = join(testCache, `workflows-${await digestOf(timing)}.json`)
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8'))
  const bundle = await bundleNow(timing)
  const draft = `${file}.${process.pid}`
  await mkdir(dirname(file), { recursive: true })
  await writeFile(draft, JSON.stringify(bundle))
  await rename(draft, file)
  return bundle
}

async function bundleNow(timing?: string): Promise<WorkflowBundleWithSourceMap> {
  const changed = timing === undefined ? {} : { [join(workflows, 'shared', 'timing.ts')]: timing }
  return bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [join(workflows, 'shared', 'trace.ts')],
    preloadModules: [workflowsPath],
    logger: quiet,
    webpackConfigHook: (config) => {
      const alias = { ...config.resolve?.alias, ...changed }
      return { ...config, resolve: { ...config.resolve, alias } }
    },
  })
}

/** Of all that goes into a bundle: the sources, the packages and the times. */
async function digestOf(timing?: string): Promise<string> {
  const names = await readdir(workflows, { recursive: true })
  const sources = names.filter((name) => name.endsWith('.ts')).sort()
  const files = [
    ...sources.map((name) => join(workflows, name)),
    join(packageRoot, 'package-lock.json'),
  ]
  if (timing !== undefined) files.push(timing)
  const digest = createHash('sha256')
  for (const file of files) digest.update(file).update(await readFile(file))
  return digest.digest('hex').slice(0, 16)
}
