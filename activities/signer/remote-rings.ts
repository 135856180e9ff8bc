import { setTimeout as sleep } from 'node:timers/promises'
import {
  decodeBase64url,
  encodeBase64url,
  type SigningKey,
  verifySignature,
} from '../keys/compact.ts'
import {
  type KeyRing,
  type KeyRings,
  ofEachRing,
  type Ring,
  rereadableRings,
  ringAlgs,
  ringOf,
} from '../keys/key-ring.ts'
import { connectSigner, type SignerConnection } from './client.ts'
import { type KeysAnswer, keysAnswer, signAnswer } from './protocol.ts'

/** How long a process that starts waits for its signer. */
const START_WITHIN_MS = 15_000

/** The rings of the signer at this socket; each signature is verified before it is used. Throws when no signer answers within 15 s. */
export async function openRemoteRings(socket: string): Promise<KeyRings> {
  const connection = connectSigner(socket)
  const read = async () => ringsOf(connection, await connection.call('keys', {}, keysAnswer))
  return rereadableRings(await untilAnswered(read), read)
}

/** What a process asks its signer when it starts: again while no answer comes, for at most 15 s. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + START_WITHIN_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(100)
    }
  }
}

function ringsOf(connection: SignerConnection, { rings }: KeysAnswer): KeyRings {
  return ofEachRing((ring) => remoteRing(connection, ring, rings[ring]))
}

function remoteRing(
  connection: SignerConnection,
  ring: Ring,
  entries: KeysAnswer['rings'][Ring],
): KeyRing {
  return ringOf(
    ring,
    entries.map(({ kid, state, public_jwk }) => ({
      state,
      key: remoteKey(connection, { ring, kid, publicJwk: public_jwk }),
    })),
  )
}

function remoteKey(
  connection: SignerConnection,
  { ring, kid, publicJwk }: { ring: Ring; kid: string; publicJwk: Record<string, string> },
): SigningKey {
  const alg = ringAlgs[ring]
  return {
    ring,
    kid,
    alg,
    publicJwk,
    sign: async (text, proof) => {
      const bytes = encodeBase64url(Buffer.from(text))
      const answer = await connection.call('sign', { kid, bytes, proof }, signAnswer)
      const signature = decodeBase64url(answer.signature)
      if (!verifySignature({ alg, publicJwk }, text, signature))
        throw new Error(`the signer answered with no signature of ${kid}`)
      return signature
    },
  }
}
