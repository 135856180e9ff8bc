import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import type { TracingSettings } from './settings.ts'
import { currentTraceId } from './spans.ts'

/**
 * Keeps the trace of each call over its asynchronous steps, and exports spans if an endpoint is configured. Without one, nothing else
 * of OpenTelemetry is loaded. The returned function sends what is left.
 */
export async function startTracing(settings: TracingSettings): Promise<() => Promise<void>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  if (settings.config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return async () => undefined
  const { startExport } = await import('./export.ts')
  return startExport(settings)
}

/** The trace of each log line that is written during a call. */
export function logTrace(): { trace_id?: string } {
  const trace_id = currentTraceId()
  return trace_id === undefined ? {} : { trace_id }
}
