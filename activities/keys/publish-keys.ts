import { registerPublicKey } from '../store/keys/signing-keys.ts'
import type { Tx } from '../store/postgres/db.ts'
import type { KeyRings } from './key-ring.ts'

/** A key that no process may start with. */
export class KeyRefused extends Error {
  override readonly name = 'KeyRefused'
}

/**
 * Registers the public half of every key of the rings; once is enough, again changes nothing. Throws `KeyRefused` for a name that
 * another key has, and for a key that has another name.
 */
export async function publishKeys(db: Tx, keys: KeyRings): Promise<void> {
  for (const { publicKeys } of Object.values(keys))
    for (const key of publicKeys) {
      const stored = await registerPublicKey(db, key)
      if (stored === undefined)
        throw new KeyRefused(`signing keys: ${key.kid} has another name already`)
      if (stored.public_jwk['x'] !== key.publicJwk['x'])
        throw new KeyRefused(
          `signing keys: ${key.kid} is the name of another key; make keys with other names`,
        )
    }
}

type Publishing = {
  everyMs: number
  warn: (error: unknown) => void
  refuse: (error: KeyRefused) => void
}

/**
 * Publishes now, and again every `everyMs` as long as the database does not answer; `stop` gives up. A key that is refused
 * rejects the first attempt, and a later one calls `refuse`.
 */
export async function keepPublishing(
  publish: () => Promise<void>,
  { everyMs, warn, refuse }: Publishing,
): Promise<{ stop(): void }> {
  let timer: NodeJS.Timeout | undefined
  const again = (): void => {
    timer = setTimeout(() => void attempt().catch(refuse), everyMs).unref()
  }
  const attempt = (): Promise<void> =>
    publish().catch((error: unknown) => {
      if (error instanceof KeyRefused) throw error
      warn(error)
      again()
    })
  await attempt()
  return { stop: () => clearTimeout(timer) }
}
