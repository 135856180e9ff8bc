import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { z } from 'zod'
import {
  cosignatureBytes,
  cosignedText,
  isNoteName,
  NOTE_COSIGNATURE,
  type NoteKey,
  signatureLine,
} from '#domain/log/checkpoint.ts'
import { keepSecret } from '../../activities/config/secret-file.ts'
import { decodeBase64url } from '../../activities/keys/compact.ts'

const File = z.strictObject({
  name: z.string().refine(isNoteName, 'a name without spaces and plus'),
  private_jwk: z.strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.string(),
    d: z.string(),
  }),
})

export type WitnessKey = {
  readonly publicKey: NoteKey
  /** The signature line that cosigns the text of a checkpoint at this Unix second. */
  cosign(text: string, time: number): string
}

/** The key of the witness, made under this name where the file is not there; a key keeps the name that it was made with. */
export async function keepWitnessKey(file: string, name: string): Promise<WitnessKey> {
  const stored = File.parse(await keepSecret(file, () => newKey(name)))
  const { name: kept, private_jwk: jwk } = stored
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  const key = decodeBase64url(jwk.x)
  const publicKey: NoteKey = { name: kept, type: NOTE_COSIGNATURE, key }
  return {
    publicKey,
    cosign: (text, time) => {
      const signature = sign(null, Buffer.from(cosignedText(time, text)), privateKey)
      return signatureLine(publicKey, cosignatureBytes(time, signature))
    },
  }
}

function newKey(name: string): z.output<typeof File> {
  const { privateKey } = generateKeyPairSync('ed25519')
  return File.parse({ name, private_jwk: privateKey.export({ format: 'jwk' }) })
}
