import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { type RingName, ringNames } from '#domain/keys/rotation.ts'
import { text } from './setting-kinds.ts'

const file = text()
const most = (limit: bigint) => z.coerce.bigint().min(1n).max(limit).default(limit)

/** Where private keys and secrets are, and how to reach the signer that holds the keys. */
export const signerSettings = {
  SIGNER_SOCKET: file.describe(
    'Unix socket of the signer for the signing keys; empty: this process reads SIGNING_KEYS_FILE itself, in `local` only',
  ),
  SIGNER_WORKER_SOCKET: file.describe(
    'only for the signer: the Unix socket of the signing keys that it serves to workers, who name it as their SIGNER_SOCKET; that of SIGNER_SOCKET is then for the API alone',
  ),
  SIGNER_WALLETS_SOCKET: file.describe(
    'Unix socket of the signer for the payout wallet and the gas wallets; only for workers. Empty: the worker reads their files itself, in `local` only',
  ),
  SIGNING_KEYS_FILE: file.describe(
    'the rings receipt, authority, checkout, callback, agent-statement and log; only for the signer',
  ),
  TOKEN_KEYS_FILE: file.describe(
    'the keys that status tokens and credentials are derived from; only for the API',
  ),
  PAYOUT_WALLET_KEY_FILE: file.describe(
    'a private key as a JSON string, or the name of a key in a module; only for the signer',
  ),
  GAS_WALLET_KEYS_FILE: file.describe(
    'JSON array of private keys, or of names of keys in a module; only for the signer',
  ),
  SIGNER_PAYOUT_MAX_ATOMIC: most(limits.maxPayoutAtomic).describe(
    'the largest payout that this signer signs, whatever is stored',
  ),
  SIGNER_DAILY_CAP_ATOMIC: most(limits.dailyCapAtomic).describe(
    'what may be in use of the payout wallet’s day, with the transfer to sign in it; by its own count the signer signs at most twice as much in 24 hours, because reservations that died are signed again',
  ),
  SIGNER_FEE_MAX_WEI: z.coerce
    .bigint()
    .min(1n)
    .default(10n ** 16n)
    .describe('the most that one transaction of a gas wallet may cost in fees'),
}

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
