import { createHmac, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What the payment provider `tills` signs with, by Standard Webhooks. */
const secret = randomBytes(32)

/** A key of a provider, as the file of keys has it. */
type ProviderKey = { provider: string; scheme: 'standard' | 'stripe'; key: string }

/** The settings of a service that believes `tills` and other providers, whose keys are kept in this directory. */
export async function providerIn(directory: string, ...others: ProviderKey[]) {
  const file = join(directory, 'provider-keys.json')
  const key = `whsec_${secret.toString('base64')}`
  const tills: ProviderKey = { provider: 'tills', scheme: 'standard', key }
  await writeFile(file, JSON.stringify([tills, ...others]), { mode: 0o600 })
  return { PROVIDER_WEBHOOK_KEYS_FILE: file }
}

/** The headers of an event as `tills` signs it, or with another key or at another time in Unix seconds. */
export function signedByTills(
  body: string,
  id: string,
  {
    signer = secret,
    at = Math.floor(Date.now() / 1000),
  }: { signer?: Uint8Array; at?: number } = {},
) {
  const signature = createHmac('sha256', signer).update(`${id}.${at}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${signature}`,
  }
}
