import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'

/** What Temporal logs to in tests: errors alone. */
export const quiet = new DefaultLogger('ERROR')

/** Has this process's Temporal tell of errors alone; before anything else of it is made. */
export function quietRuntime(): void {
  const logging = { filter: makeTelemetryFilterString({ core: 'ERROR' }) }
  Runtime.install({ logger: quiet, telemetryOptions: { logging } })
}
