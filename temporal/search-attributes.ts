import type { Client } from '@temporalio/client'
import { searchAttributes } from '../workflows/shared/search-attributes.ts'

/** `Name=Type` of each search attribute, as `--search-attribute` of the embedded server expects it. */
export function searchAttributeFlags(): string[] {
  return wanted().map(([name, type]) => `${name}=${type}`)
}

const indexedValueTypes = { Keyword: 2, Bool: 5, KeywordList: 7 } as const
const typeNames = { KEYWORD: 'Keyword', BOOL: 'Bool', KEYWORD_LIST: 'KeywordList' } as const

/** Names and types of the attributes that the namespace lacks or has with another type; throws if Temporal does not answer. */
export async function missingSearchAttributes(
  client: Client,
  ms: number,
): Promise<Record<string, string>> {
  const { namespace } = client.options
  const answer = await client.connection.withDeadline(Date.now() + ms, () =>
    client.connection.operatorService.listSearchAttributes({ namespace }),
  )
  const known = answer.customAttributes ?? {}
  return Object.fromEntries(
    wanted().filter(([name, type]) => known[name] !== indexedValueTypes[type]),
  )
}

/** What readiness says of missing search attributes. */
export function describeMissing(missing: Readonly<Record<string, string>>): {
  ok: boolean
  detail: string
} {
  const names = Object.keys(missing)
  const detail = names.length === 0 ? 'all registered' : `${names.join(', ')} missing`
  return { ok: names.length === 0, detail }
}

/** Adds the missing attributes to the namespace of the client and keeps the others. */
export async function registerSearchAttributes(client: Client, ms: number): Promise<void> {
  const missing = await missingSearchAttributes(client, ms)
  const lacking = wanted().filter(([name]) => name in missing)
  if (lacking.length === 0) return
  const searchAttributes = Object.fromEntries(
    lacking.map(([name, type]) => [name, indexedValueTypes[type]]),
  )
  await client.connection.withDeadline(Date.now() + ms, () =>
    client.connection.operatorService.addSearchAttributes({
      namespace: client.options.namespace,
      searchAttributes,
    }),
  )
}

function wanted(): [string, keyof typeof indexedValueTypes][] {
  return Object.values(searchAttributes).map(({ name, type }) => [name, typeNames[type]])
}
