import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'

/** The logger of Temporal in tests, which prints errors only. */
export const quiet = new DefaultLogger('ERROR')

let installed = false

/** Limits this process's Temporal runtime to errors. Call it before anything else of Temporal's worker is created. */
export function quietRuntime(): void {
  if (installed) return
  installed = true
  const logging = { filter: makeTelemetryFilterString({ core: 'ERROR' }) }
  Runtime.install({ logger: quiet, telemetryOptions: { logging } })
}
