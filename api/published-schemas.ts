import { z } from 'zod'
import { callbackBody } from '../workflows/domain/callback-body.ts'
import { sha256Hex } from '../workflows/domain/canonical-json.ts'
import { rails } from '../workflows/domain/rails/index.ts'
import { ReplayFile } from '../workflows/domain/replay-package.ts'
import { ResultContract, ReturnPackage } from '../workflows/domain/return-package.ts'
import { Manifest } from './operations/agents/register.ts'
import { Receipt } from './operations/operators/receipt.ts'
import { VerificationPacket } from './operations/receipts/verify-receipt.ts'
import { problemSchema } from './surfaces/openapi-components.ts'
import type { JsonObject } from './surfaces/schema-components.ts'

const written = (schema: z.ZodType, io: 'input' | 'output') => (): JsonObject =>
  z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as JsonObject

/** The schema documents (endpoints.md §22.6) whose shapes exist, each printed from the schema that reads or makes them. */
const documents: Record<string, () => JsonObject> = {
  'receipt.v1.json': written(Receipt, 'output'),
  'verification-packet.v1.json': written(VerificationPacket, 'output'),
  'return-package.v2.json': written(ReturnPackage, 'output'),
  'result-contract.v2.json': written(ResultContract, 'output'),
  'replay-package.v1.json': written(ReplayFile, 'output'),
  'agent-manifest.v1.json': written(Manifest, 'input'),
  'callback-event.v1.json': written(callbackBody, 'output'),
  'problem.v1.json': () => problemSchema,
  ...Object.fromEntries(rails.map(({ key, input }) => [`rail-input-${key}.v1.json`, written(input, 'input')])),
}
export const schemaNames = Object.keys(documents).sort()

export type SchemaEntry = { name: string; version: string; url: string; sha256: string }
export type PublishedSchemas = { index(): SchemaEntry[]; read(name: string): JsonObject | undefined }

/** Prints each document once; the digest in the index is that of the bytes which are served. */
export function publishSchemas(baseUrl: string): PublishedSchemas {
  const printed = new Map<string, JsonObject>()
  const read = (name: string): JsonObject | undefined => {
    const write = Object.hasOwn(documents, name) ? documents[name] : undefined
    if (write === undefined || printed.has(name)) return printed.get(name)
    const { $schema: _dialect, ...schema } = write()
    const document = { $schema: DIALECT, $id: `${baseUrl}/schemas/${name}`, ...schema }
    printed.set(name, document)
    return document
  }
  const entry = (name: string): SchemaEntry => {
    const [, version = ''] = /\.(v\d+)\.json$/.exec(name) ?? []
    return { name, version, url: `${baseUrl}/schemas/${name}`, sha256: sha256Hex(JSON.stringify(read(name))) }
  }
  return { index: () => schemaNames.map(entry), read }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
