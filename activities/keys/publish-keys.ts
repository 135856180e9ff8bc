import type { Tx } from '../store/db.ts'
import { registerPublicKeys } from '../store/signing-keys.ts'
import type { KeyRings } from './key-ring.ts'

/** Registers the public half of every key of the rings; once is enough, again changes nothing. */
export function publishKeys(db: Tx, keys: KeyRings): Promise<void> {
  return registerPublicKeys(
    db,
    Object.values(keys).flatMap((ring) => ring.publicKeys),
  )
}

/** Publishes now, and again every `everyMs` as long as the database does not take it; `stop` gives up. */
export async function keepPublishing(
  publish: () => Promise<void>,
  { everyMs, warn }: { everyMs: number; warn: (error: unknown) => void },
): Promise<{ stop(): void }> {
  let timer: NodeJS.Timeout | undefined
  const attempt = (): Promise<void> =>
    publish().catch((error: unknown) => {
      warn(error)
      timer = setTimeout(() => void attempt(), everyMs).unref()
    })
  await attempt()
  return { stop: () => clearTimeout(timer) }
}
