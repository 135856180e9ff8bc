import { z } from 'zod'
import { readJsonFile } from '../config/config.ts'
import type { ProviderKey } from './provider-signature.ts'

const provider = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/)

/** What PROVIDER_WEBHOOK_KEYS_FILE holds; a provider may have several keys while it rotates them. */
const providerKeysSchema = z.array(
  z.discriminatedUnion('scheme', [
    z.strictObject({
      provider,
      scheme: z.literal('standard'),
      key: z.string().regex(/^wh(sec|pk)_[A-Za-z0-9+/]{32,}=*$/),
    }),
    z.strictObject({ provider, scheme: z.literal('stripe'), key: z.string().min(16) }),
  ]),
)

/** The keys of payment providers; none where no file is named. Throws when the file cannot be used, quoting nothing of it. */
export function loadProviderKeys(path: string): ProviderKey[] {
  return path === '' ? [] : readJsonFile(path, providerKeysSchema)
}
