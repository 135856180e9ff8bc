import { z } from 'zod'
import { readJsonFile } from '../../config/config.ts'
import type { SignerConfig } from '../../config/signer-config.ts'
import type { ModuleReference, Pkcs11Reference } from '../../keys/module-reference.ts'
import { openKms } from './kms.ts'
import type { Curve, KeyModule, ModuleKey, Modules } from './module.ts'
import { openPkcs11 } from './pkcs11.ts'

type Settings = Pick<
  SignerConfig,
  'PKCS11_MODULE' | 'PKCS11_TOKEN' | 'PKCS11_PIN_FILE' | 'AWS_KMS_REGION' | 'AWS_KMS_ENDPOINT'
>

/** The modules of the configuration. A key is opened once, also where several callers ask at the same time. */
export async function openModules(config: Settings): Promise<Modules> {
  const pkcs11 = pkcs11Of(config)
  const kms =
    config.AWS_KMS_REGION === ''
      ? undefined
      : await openKms({ region: config.AWS_KMS_REGION, endpoint: config.AWS_KMS_ENDPOINT })
  const opened = new Map<string, Promise<ModuleKey>>()

  const open = (reference: ModuleReference, curve: Curve): Promise<ModuleKey> =>
    'pkcs11' in reference
      ? configured(pkcs11, 'PKCS11_MODULE').open(reference.pkcs11, curve)
      : configured(kms, 'AWS_KMS_REGION').open(reference.kms, curve)
  return {
    open: async (reference, curve) => {
      const name = `${curve} ${JSON.stringify(reference)}`
      const key = opened.get(name) ?? open(reference, curve)
      opened.set(name, key)
      key.catch(() => opened.delete(name))
      return key
    },
    make: async (place, name, curve) =>
      place === 'pkcs11'
        ? { pkcs11: await configured(pkcs11, 'PKCS11_MODULE').make(name, curve) }
        : { kms: await configured(kms, 'AWS_KMS_REGION').make(name, curve) },
    close: () => {
      pkcs11?.close()
      kms?.close()
    },
  }
}

function pkcs11Of(config: Settings): KeyModule<Pkcs11Reference> | undefined {
  if (config.PKCS11_MODULE === '') return undefined
  return openPkcs11({
    library: config.PKCS11_MODULE,
    label: config.PKCS11_TOKEN,
    pin: readJsonFile(config.PKCS11_PIN_FILE, z.string().min(1)),
  })
}

function configured<T>(module: T | undefined, setting: string): T {
  if (module !== undefined) return module
  throw new Error(`a key is in a module that is not configured; set ${setting}`)
}
