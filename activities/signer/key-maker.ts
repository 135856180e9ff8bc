import type { Config } from '../config/config.ts'
import {
  publicJwkOf,
  type Ring,
  type RingPublicKey,
  ringAlgs,
  type SigningKeyEntry,
} from '../keys/key-ring.ts'
import { connectSigner } from './client.ts'
import { openKeyFile } from './key-file.ts'
import { doneAnswer, nextKeyAnswer } from './protocol.ts'

/**
 * What a rotation asks of the process that holds the private keys. Each may be asked again: the same rotation gets the same key, and
 * a key that is active or retired stays so.
 */
export type KeyMaker = {
  next(asked: { ring: Ring; rotationId: string }): Promise<RingPublicKey>
  activate(kid: string): Promise<void>
  retire(kid: string): Promise<void>
  /** Retires the next key of a rotation that ends without it; the key before it is active again. */
  drop(kid: string): Promise<void>
}

/** The signer, or the key file where no signer is configured. */
export const openKeyMaker = (
  config: Pick<Config, 'SIGNER_SOCKET' | 'SIGNING_KEYS_FILE'>,
): KeyMaker =>
  config.SIGNER_SOCKET === ''
    ? makerOfFile(config.SIGNING_KEYS_FILE)
    : remoteMaker(config.SIGNER_SOCKET)

function makerOfFile(path: string): KeyMaker {
  const file = openKeyFile(path)
  return {
    next: async (asked) => publicHalf(asked.ring, await file.next(asked, new Date())),
    activate: async (kid) => file.activate(kid),
    retire: async (kid) => file.retire(kid),
    drop: async (kid) => file.drop(kid),
  }
}

function remoteMaker(socket: string): KeyMaker {
  const connection = connectSigner(socket)
  return {
    next: async ({ ring, rotationId }) => {
      const asked = { ring, rotation_id: rotationId }
      const { kid, public_jwk } = await connection.call('next_key', asked, nextKeyAnswer)
      return { ring, kid, alg: ringAlgs[ring], publicJwk: public_jwk, state: 'published' }
    },
    activate: async (kid) => {
      await connection.call('activate_key', { kid }, doneAnswer)
    },
    retire: async (kid) => {
      await connection.call('retire_key', { kid }, doneAnswer)
    },
    drop: async (kid) => {
      await connection.call('drop_key', { kid }, doneAnswer)
    },
  }
}

/** What may be known of a key. */
export function publicHalf(ring: Ring, entry: SigningKeyEntry): RingPublicKey {
  const { kid, alg } = entry
  return { ring, kid, alg, publicJwk: publicJwkOf(entry), state: 'published' }
}
