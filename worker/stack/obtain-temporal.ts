import { homedir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../activities/config/package-root.ts'
import { obtainTemporal } from '../../temporal/server/obtain.ts'

/** Downloads or builds the Temporal server before the tests start: that can take minutes, which no test waits for. */
await obtainTemporal({
  path: process.env['PATH'] ?? '',
  cacheHome: process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  toolsModule: join(packageRoot, 'temporal', 'server'),
  say: console.log,
})
