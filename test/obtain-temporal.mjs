// Downloads or builds the Temporal server once: that can take minutes, which no test waits for.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { obtainTemporal } from '../dist/temporal/server/obtain.js'

await obtainTemporal({
  path: process.env.PATH ?? '',
  cacheHome: process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  toolsModule: fileURLToPath(new URL('../temporal/server', import.meta.url)),
  say: console.log,
})
