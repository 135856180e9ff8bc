import { groupedBy } from '../../core/grouped-by.ts'
import type { TokenopsHead } from './schema.ts'

export type NamedBy = 'name' | 'alias' | 'spelling' | 'version'
export type Named = { model: string; by: NamedBy }
type Index = Map<string, string[]>

const vendorPath =
  /^((us|eu|apac|global)\.)?(anthropic|openai|amazon|meta|mistral|cohere|ai21|deepseek|google)\./
const version = /(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-v\d+:\d+|-v\d+)+$/

/** `openrouter/Anthropic/claude-3.5-sonnet ` → `claude-3-5-sonnet`: without path, vendor, case and kind of separator. */
function spellingOf(name: string): string {
  const bare = name.normalize('NFKC').trim().toLowerCase().split('/').at(-1) ?? ''
  return bare.replace(vendorPath, '').replace(/[\s_.@]+/g, '-')
}

/** `claude-3-5-sonnet-20241022` → `claude-3-5-sonnet`: without a date or version at the end. */
export function familyOf(name: string): string {
  return spellingOf(name).replace(version, '')
}

/** What a name in the usage stands for: itself, an alias, another spelling, or a version of the only model that it can be. */
export function modelNames(models: string[], aliases: TokenopsHead['aliases'] = []) {
  const known = new Set(models)
  const spellings = indexed([...known], spellingOf)
  const families = indexed([...known], familyOf)
  const alias = new Map(
    [...groupedBy(aliases, ({ name }) => name)].map(([name, own]) => [
      name,
      [...new Set(own.map(({ model }) => model))],
    ]),
  )
  return (name: string): Named | 'not_in_price_table' | 'ambiguous_name' => {
    if (alias.has(name)) return only(alias.get(name), 'alias')
    if (known.has(name)) return { model: name, by: 'name' }
    const spelling = spellings.get(spellingOf(name))
    if (spelling !== undefined) return only(spelling, 'spelling')
    return only(families.get(familyOf(name)), 'version')
  }
}

function only(models: string[] = [], by: NamedBy): Named | 'not_in_price_table' | 'ambiguous_name' {
  const [model, another] = models
  if (model === undefined) return 'not_in_price_table'
  return another === undefined ? { model, by } : 'ambiguous_name'
}

function indexed(models: string[], keyOf: (model: string) => string): Index {
  return groupedBy(models, keyOf)
}
