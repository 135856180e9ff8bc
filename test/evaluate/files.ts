import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The files of a folder whose names end so; none where there is no such folder. */
export function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  return names.toSorted().map((name) => join(folder, name))
}
