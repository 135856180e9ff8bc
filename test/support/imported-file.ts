import { dirname, join } from 'node:path'

/** The file of this repository that an import names, from its root; undefined for a package. */
export function importedFile(importer: string, from: string): string | undefined {
  if (from.startsWith('#domain/')) return from.replace('#', 'workflows/')
  return from.startsWith('.') ? join(dirname(importer), from) : undefined
}
