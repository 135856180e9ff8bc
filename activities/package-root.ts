import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json, whether this runs from the sources or from `dist/`. */
export const packageRoot = findUpwards(import.meta.dirname)

/** The version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
  return version
}

function findUpwards(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('package.json of agent-rails was not found above the program')
  return findUpwards(parent)
}
