import { DiagLogLevel, diag, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { TracingSettings } from './settings.ts'

/** Exports spans over OTLP/HTTP. The sampler decides by the trace id alone, so all processes keep the same traces, whatever a caller's flag says. */
export function startExport({ config, service, log }: TracingSettings): () => Promise<void> {
  const warn = (message: string) => log.warn({ reason: message.slice(0, 500) }, 'traces are lost')
  const silent = () => undefined
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const url = `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/$/, '')}/v1/traces`
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'agent-rails',
      'service.name': `agent-rails-${service}`,
      'service.instance.id': String(process.pid),
      'deployment.environment.name': config.ENVIRONMENT,
    }),
    sampler: new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url }), { scheduledDelayMillis: 1_000 }),
    ],
  })
  trace.setGlobalTracerProvider(provider)
  return () => provider.shutdown().catch((error: unknown) => warn(String(error)))
}
