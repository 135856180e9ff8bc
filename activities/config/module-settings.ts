import { z } from 'zod'
import { type RingName, ringNames } from '#domain/keys/rotation.ts'
import { text } from './setting-kinds.ts'

const known: readonly string[] = ringNames
const rings = z
  .string()
  .default('')
  .transform((list) => list.split(',').flatMap((name) => name.trim() || []))
  .refine((names) => names.every((name) => known.includes(name)), 'a list of signing key rings')
  .transform((names) => names as RingName[])

/** Modules that keep private keys for the signer. Only the signer has these settings. */
export const moduleSettings = {
  PKCS11_MODULE: text().describe(
    'only for the signer: library of a PKCS#11 module, such as /usr/lib/softhsm/libsofthsm2.so; empty: none',
  ),
  PKCS11_TOKEN: text().describe('label of the token of that module which holds the keys'),
  PKCS11_PIN_FILE: text().describe('the PIN of the user of that token as a JSON string'),
  PKCS11_RINGS: rings.describe(
    'rings whose next key is made in that token; rings in no such list have theirs in SIGNING_KEYS_FILE',
  ),
  AWS_KMS_REGION: text().describe(
    'only for the signer: region of AWS KMS; credentials come from the usual places of the AWS SDK; empty: none',
  ),
  AWS_KMS_ENDPOINT: text().describe('another URL of AWS KMS, such as an endpoint in a VPC'),
  AWS_KMS_RINGS: rings.describe('rings whose next key is made in AWS KMS'),
}

type ModuleSettings = z.output<z.ZodObject<typeof moduleSettings>>

/** Throws for settings of modules that do not go together. */
export function assertModules(settings: ModuleSettings): void {
  const { PKCS11_MODULE, PKCS11_RINGS, AWS_KMS_REGION, AWS_KMS_RINGS } = settings
  if (PKCS11_MODULE !== '' && (settings.PKCS11_TOKEN === '' || settings.PKCS11_PIN_FILE === ''))
    throw new Error('configuration: PKCS11_MODULE needs PKCS11_TOKEN and PKCS11_PIN_FILE')
  if (PKCS11_MODULE === '' && PKCS11_RINGS.length > 0)
    throw new Error('configuration: PKCS11_RINGS needs PKCS11_MODULE')
  if (AWS_KMS_REGION === '' && AWS_KMS_RINGS.length > 0)
    throw new Error('configuration: AWS_KMS_RINGS needs AWS_KMS_REGION')
  const both = PKCS11_RINGS.filter((ring) => AWS_KMS_RINGS.includes(ring))
  if (both.length > 0)
    throw new Error(`configuration: PKCS11_RINGS and AWS_KMS_RINGS both name ${both.join(', ')}`)
}
