import { z } from 'zod'

/** How a file names a key in a module: exactly one key pair of the token by `id` (hex) or `label`, or a key of AWS KMS by id or ARN. */
export const moduleReferences = {
  pkcs11: z.union([
    z.strictObject({ id: z.string().regex(/^([0-9a-f]{2}){1,64}$/) }),
    z.strictObject({ label: z.string().min(1).max(200) }),
  ]),
  kms: z.strictObject({ key_id: z.string().min(1).max(2_048) }),
} as const

export const moduleReference = z.union([
  z.strictObject({ pkcs11: moduleReferences.pkcs11 }),
  z.strictObject({ kms: moduleReferences.kms }),
])
export type ModuleReference = z.output<typeof moduleReference>
export type Pkcs11Reference = z.output<typeof moduleReferences.pkcs11>
