import { searchAttributeFlags } from '../search-attributes.ts'

/** The database file of the embedded server, and the ports of 127.0.0.1 for it and its UI. */
export type ServerSettings = { databaseFile: string; port: number; uiPort: number }

/** The last value: by default a shorter timer may last a full second, because the server reads timers ahead; a single server need not. */
const DYNAMIC_CONFIG = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'history.transferProcessorMaxPollRPS=10000',
  'history.timerProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxTimeShift="10ms"',
]

/** Environment variables that the embedded server needs in addition. */
export const serverEnvironment = { GOGC: '400' }

/** Command-line arguments of the embedded server. */
export function serverArguments(settings: ServerSettings): string[] {
  const network = [
    '--ip',
    '127.0.0.1',
    '--port',
    String(settings.port),
    '--ui-ip',
    '127.0.0.1',
    '--ui-port',
    String(settings.uiPort),
  ]
  const pragmas = ['journal_mode=wal', 'synchronous=normal'].flatMap((value) => [
    '--sqlite-pragma',
    value,
  ])
  const dynamic = DYNAMIC_CONFIG.flatMap((value) => ['--dynamic-config-value', value])
  const attributes = searchAttributeFlags().flatMap((value) => ['--search-attribute', value])
  return [
    'server',
    'start-dev',
    '--db-filename',
    settings.databaseFile,
    ...network,
    ...pragmas,
    ...dynamic,
    ...attributes,
    '--log-level',
    'warn',
  ]
}
