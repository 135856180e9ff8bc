import { join } from 'node:path'
import { packageRoot } from '../../activities/config/package-root.ts'

/** Where tests keep what is slow to make and the same each time, as the compiled token. */
export const testCache = join(packageRoot, 'node_modules', '.cache', 'agent-rails')
