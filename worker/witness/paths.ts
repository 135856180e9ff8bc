import { sha256Hex } from '#domain/core/canonical-json.ts'

/** Where a witness serves its last checkpoint of the log of this origin. */
export const monitorPath = (origin: string): string => `/${sha256Hex(origin)}/checkpoint`

/** The same at the URL of a witness. */
export const monitorUrl = (url: string, origin: string): string =>
  url.replace(/\/+$/, '') + monitorPath(origin)

/** The file in which a checkpoint is kept. */
export const checkpointFile = (note: string): string => `${sha256Hex(note).slice(0, 16)}.checkpoint`
