import { priceFields } from '#domain/rails/tokenops/meters.ts'

type Fields = Record<string, unknown>
const providers = [
  'anthropic',
  'cohere',
  'cohere_chat',
  'deepseek',
  'gemini',
  'mistral',
  'openai',
  'xai',
]
const modes = ['chat', 'completion', 'embedding', 'responses']
const uplifts = /^regional_processing_uplift_multiplier_([a-z]+)$/

/** The text of a module of list prices, from LiteLLM's price map: a line for each price, with the models that have it. */
export function listedModule(map: Record<string, Fields>, source: string): string {
  const prices = new Map<string, string>()
  for (const [key, stated] of Object.entries(map)) {
    const row = { ...map[String(stated['alias_of'])], ...stated }
    const name = key.split('/').at(-1) ?? ''
    const isListed =
      providers.includes(String(row['litellm_provider'])) && modes.includes(String(row['mode']))
    const isPriced = ['input_cost_per_token', 'output_cost_per_token'].every(
      (field) => typeof row[field] === 'number',
    )
    if (isListed && isPriced && !prices.has(name)) prices.set(name, priceText(row))
  }
  const models = new Map<string, string[]>()
  for (const [name, price] of [...prices].sort())
    models.set(price, [...(models.get(price) ?? []), name])
  const lines = [...models].map(([price, names]) => `${names.join(',')} ${price}`)
  return `// Source: ${source}, MIT licence. Written by test/workflows/domain/rails/tokenops/listed-prices.test.ts.\n\nexport const prices = \`\n${lines.join('\n')}\n\`\n`
}

function priceText(row: Fields): string {
  const stated = Object.entries(row).flatMap(([field, value]) => {
    if (typeof value === 'number' && priceFields.has(field)) return [`${field}=${value}`]
    if (field === 'search_context_cost_per_query') return searchText(value as Fields)
    const [, region] = uplifts.exec(field) ?? []
    return region === undefined ? [] : [`${region}*${value}`]
  })
  const entry = row['litellm_provider'] === 'anthropic' ? row['provider_specific_entry'] : {}
  const { us } = (entry ?? {}) as Fields
  return [...stated, ...(us === undefined ? [] : [`us*${us}`])].sort().join(' ')
}

/** Searches are listed where all sizes cost the same. */
function searchText(sizes: Fields): string[] {
  const [price, another] = new Set(Object.values(sizes))
  return price === undefined || another !== undefined
    ? []
    : [`search_context_cost_per_query=${price}`]
}
