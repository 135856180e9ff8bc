import { searchAttributes } from '../workflows/search-attributes.ts'

/** `Name=Type` of each search attribute of the workflows, as the embedded server's `--search-attribute` takes them. */
export function searchAttributeFlags(): string[] {
  return Object.values(searchAttributes).map(({ name, type }) => `${name}=${type === 'BOOL' ? 'Bool' : 'Keyword'}`)
}
