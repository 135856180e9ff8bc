import { sha256Hex } from '#domain/core/canonical-json.ts'
import type {
  PublishedSchemas,
  SchemaDocument,
  SchemaDocuments,
  SchemaEntry,
} from '../shapes/documents.ts'

/** Prints each document once; the digest in the index is that of the bytes which are served. */
export function publishSchemas(baseUrl: string, documents: SchemaDocuments): PublishedSchemas {
  const printed = new Map<string, SchemaDocument>()
  const read = (name: string): SchemaDocument | undefined => {
    const write = Object.hasOwn(documents, name) ? documents[name] : undefined
    if (write === undefined || printed.has(name)) return printed.get(name)
    const { $schema: _dialect, ...schema } = write()
    const document = { $schema: DIALECT, $id: `${baseUrl}/schemas/${name}`, ...schema }
    printed.set(name, document)
    return document
  }
  const entry = (name: string): SchemaEntry => {
    const [, version = ''] = /\.(v\d+)\.json$/.exec(name) ?? []
    return {
      name,
      version,
      url: `${baseUrl}/schemas/${name}`,
      sha256: sha256Hex(JSON.stringify(read(name))),
    }
  }
  return { index: () => Object.keys(documents).sort().map(entry), read }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
