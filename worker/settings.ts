import { existsSync } from 'node:fs'
import { type Config, loadConfig } from '../activities/config/config.ts'
import { readSecret } from '../activities/config/secret-file.ts'
import { loadStackSettings } from '../activities/config/stack-settings.ts'
import { layoutOf } from './stack/layout.ts'

/** The settings of the environment, or else those of the embedded stack of this folder; throws a readable list of what is wrong. */
export function loadSettings(environment?: NodeJS.ProcessEnv): Config {
  const stack = loadStackSettings(environment)
  const file = layoutOf(stack.DATA_DIR).environment
  const embedded =
    stack.inherited['DATABASE_URL'] === undefined && existsSync(file)
      ? readSecret<Record<string, string>>(file)
      : undefined
  return loadConfig({ ...embedded, ...stack.inherited })
}
