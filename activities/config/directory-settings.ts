import { z } from 'zod'
import { list } from './setting-kinds.ts'

/** A directory of services, and where documents are submitted to it; without a URL they are only prepared. */
export type DirectorySetting = { name: string; url: string | null }

/** Reads `<name>` or `<name> <URL>`. */
function directoryOf(text: string, context: z.RefinementCtx): DirectorySetting {
  const [name = '', url = null, ...more] = text.split(/\s+/)
  const isUrl = url === null || (URL.canParse(url) && /^https?:\/\/[^\s#]{1,2000}$/.test(url))
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) || !isUrl || more.length > 0)
    context.addIssue({
      code: 'custom',
      message: 'is no name of lower-case letters, digits, ., _ and - with at most one URL',
    })
  return { name, url }
}

/** The directories that operators submit this service to. */
export const directorySettings = {
  DIRECTORIES: list
    .pipe(z.array(z.string().transform(directoryOf)))
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
      message: 'names a directory twice',
    })
    .default([])
    .describe(
      'directories of services, separated by commas, each as its name and, after a space, the https URL that documents are posted to; without a URL they are only prepared; empty: none',
    ),
}
