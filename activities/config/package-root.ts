import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of package.json, whether this runs from the sources or from `dist/`. */
export const packageRoot = findUpwards(import.meta.dirname)

/** The version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

/** A program of `dist/`, which Node runs whether its caller is built or a source. */
export const builtProgram = (path: string): string => join(packageRoot, 'dist', path)

/** The UTC day on which `dist/` was built; null where the program runs from sources that were never built. */
export function buildDate(): string | null {
  const file = join(packageRoot, 'dist', 'build.json')
  if (!existsSync(file)) return null
  const { date } = JSON.parse(readFileSync(file, 'utf8')) as { date: string }
  return date
}

function findUpwards(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder)
    throw new Error('package.json of agent-rails was not found above the program')
  return findUpwards(parent)
}
