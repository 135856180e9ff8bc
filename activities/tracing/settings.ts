import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'

/** Where spans of this process go, and as which service. */
export type TracingSettings = {
  readonly config: Pick<
    Config,
    'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG' | 'ENVIRONMENT'
  >
  readonly service: 'api' | 'worker'
  readonly log: Logger
}
