import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleWorkflowCode } from '@temporalio/worker'
import { packageRoot } from '../../../activities/config/package-root.ts'

const dist = (...parts: string[]) => join(packageRoot, 'dist', ...parts)
const run = promisify(execFile)

/** Where the harness's worker program and its workflow bundle lie. */
export type ChaosPrograms = { worker: string; bundle: string }

/** Compiles what the harness's worker processes run, and bundles the workflows with times scaled down; the product has to be built. */
export async function compilePrograms(): Promise<ChaosPrograms> {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  await run(process.execPath, [
    tsc,
    '-p',
    join(packageRoot, 'test', 'e2e', 'chaos', 'tsconfig.json'),
  ])
  const silent = () => undefined
  const workflowsPath = dist('workflows', 'index.js')
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [dist('workflows', 'shared', 'trace.js')],
    preloadModules: [workflowsPath],
    logger: {
      log: silent,
      trace: silent,
      debug: silent,
      info: silent,
      warn: silent,
      error: console.error,
    },
    webpackConfigHook: (config) => {
      const alias = {
        ...config.resolve?.alias,
        [dist('workflows', 'shared', 'timing.js')]: dist('test', 'e2e', 'chaos', 'fast-timing.js'),
      }
      return { ...config, resolve: { ...config.resolve, alias } }
    },
  })
  const bundle = dist('test', 'e2e', 'chaos', 'workflow-bundle.js')
  await writeFile(bundle, code)
  return { worker: dist('test', 'e2e', 'chaos', 'worker.js'), bundle }
}
