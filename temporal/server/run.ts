import { searchAttributeFlags } from '../search-attributes.ts'

/** Where the embedded server keeps its database and which ports of 127.0.0.1 it and its UI listen on. */
export type ServerSettings = { databaseFile: string; port: number; uiPort: number }

/** By default a timer of less than a second lasts up to one, because the server has read that far ahead; one server needs no such lead. */
const DYNAMIC_CONFIG = [
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'history.transferProcessorMaxPollRPS=10000',
  'history.timerProcessorMaxPollRPS=1000',
  'history.timerProcessorMaxTimeShift="10ms"',
]

/** Environment additions of the embedded server (temporal-floor.md, "Embedded server, exact"). */
export const serverEnvironment = { GOGC: '400' }

/** Arguments of the embedded server (temporal-floor.md, "Embedded server, exact"). */
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
