import { z } from 'zod'
import { readJsonFile } from '../config/config.ts'
import type { TokenKey } from './derived-tokens.ts'
import { followFile } from './follow-file.ts'

/** What TOKEN_KEYS_FILE holds: 32 bytes as base64url each, and the Unix second from which new tokens are derived from them. */
export const tokenKeysSchema = z
  .array(z.strictObject({ key: z.string().regex(/^[A-Za-z0-9_-]{43}$/), since: z.int().min(0) }))
  .min(1)
export type TokenKeysFile = z.output<typeof tokenKeysSchema>

/** Loads the keys that status tokens and credentials are derived from: those that stand in the file at each call. */
export function loadTokenKeys(path: string): () => readonly TokenKey[] {
  const current = followFile(path, () =>
    readJsonFile(path, tokenKeysSchema).map(({ key, since }) => ({
      key: Buffer.from(key, 'base64url'),
      since,
    })),
  )
  current()
  return current
}
