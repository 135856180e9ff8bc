import { dirname, join } from 'node:path'
import { Connection } from '@temporalio/client'
import { packageRoot } from '../../activities/config/package-root.ts'
import { type ObtainSettings, obtainTemporal } from '../../temporal/server/obtain.ts'
import {
  type ServerSettings,
  serverArguments,
  serverEnvironment,
} from '../../temporal/server/run.ts'
import { createGuardedPort } from './guarded-port.ts'
import { Part } from './part.ts'
import { privateDirectory } from './private-directory.ts'

/** Where the server runs, and how to obtain its binary. */
export type TemporalSettings = ServerSettings & {
  logFile: string
  inherited: NodeJS.ProcessEnv
  obtain: Omit<ObtainSettings, 'toolsModule'>
}

/** The embedded Temporal server with its UI, which answers only requests that name this machine; ready once the namespace `default` answers. */
export function temporalPart(settings: TemporalSettings): Part {
  let binary: Promise<string> | undefined
  const ui = createGuardedPort(settings.uiPort)
  return new Part({
    name: 'temporal',
    logFile: settings.logFile,
    prepare: async () => {
      privateDirectory(dirname(settings.databaseFile))
      binary ??= obtainTemporal({
        ...settings.obtain,
        toolsModule: join(packageRoot, 'temporal', 'server'),
      })
      await binary
    },
    launch: async () => {
      const uiPort = await ui.open()
      const env = { ...settings.inherited, ...serverEnvironment }
      return {
        file: (await binary) ?? 'temporal',
        args: serverArguments({ ...settings, uiPort }),
        env,
      }
    },
    whileRunning: () => ui.guard(),
    probe: () => askNamespace(`127.0.0.1:${settings.port}`),
  })
}

async function askNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000, interceptors: [] })
  try {
    const describe = () => connection.workflowService.describeNamespace({ namespace: 'default' })
    await connection.withDeadline(Date.now() + 1_000, describe)
  } finally {
    await connection.close()
  }
}

/** Rejects until the worker process `pid` polls the task queue, of workflows (1) or of activities (2): its identity begins with its process id. */
export async function askPoller(
  address: string,
  taskQueue: string,
  pid: number,
  taskQueueType: 1 | 2 = 1,
): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000, interceptors: [] })
  try {
    const describe = () =>
      connection.workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue: { name: taskQueue },
        taskQueueType,
      })
    const { pollers } = await connection.withDeadline(Date.now() + 1_000, describe)
    if (!pollers?.some(({ identity }) => identity?.startsWith(`${pid}@`)))
      throw new Error(`nothing of ${pid} polls ${taskQueue}`)
  } finally {
    await connection.close()
  }
}
