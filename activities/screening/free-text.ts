import { z } from 'zod'
import { type PointerError, refuse } from '#domain/core/errors.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { decodedFile, decodedParts, withoutTokens } from './decoded-parts.ts'
import { CHECKSUMS_MAX, type PhraseBudget } from './recovery-phrase.ts'
import { isPrivateJwk, nameSecret } from './secret-patterns.ts'

/**
 * Refuses secrets in the fields that the schema marks with `.meta({ 'x-free-text': true })`, or, for what their base64url parts encode,
 * with `'x-encoded-text'`: 422 `forbidden_material` that names JSON pointers and the kind of secret, never the value.
 */
export function screenFreeText(schema: z.ZodType, value: unknown): void {
  const errors = findForbiddenMaterial(schema, value)
  if (errors.length === 0) return
  const where = errors.map(({ pointer }) => pointer || '(body)').join(', ')
  throw refuse('forbidden_material', {
    detail: `secret material at ${where}`,
    errors,
  })
}

/** A member of this name, such as of an item of packetops, is a file in base64, which is screened as what it encodes. */
const FILE_MEMBER = 'content_base64'
/** No key is longer; in the random characters of a longer file one could seem to stand. */
const KEY_CHARS_MAX = 512
/** At most this many findings are reported. */
const FINDINGS_MAX = 20

/**
 * The pointers (RFC 6901) of free-text fields that hold secret material, with the kind of secret; for values that fit the schema. The
 * work is linear in the value.
 */
export function findForbiddenMaterial(schema: z.ZodType, value: unknown): PointerError[] {
  const found: Found = {
    kinds: new Map(),
    budget: { checksums: CHECKSUMS_MAX },
    plain: (text) => text,
  }
  collect(schema, value, '', found)
  return [...found.kinds].map(([pointer, kind]) => ({ pointer, message: `holds ${kind}` }))
}

type Found = {
  readonly kinds: Map<string, string>
  readonly budget: PhraseBudget
  /** What of a text is screened as it stands. */
  readonly plain: (text: string) => string
}

function collect(schema: z.core.$ZodType, value: unknown, pointer: string, found: Found): void {
  if (value === undefined || value === null) return
  const marks = z.globalRegistry.get(schema)
  if (marks?.['x-free-text'] === true) screen(value, pointer, found)
  else if (marks?.['x-encoded-text'] === true) screenEncoded(value, pointer, found)
  else
    for (const [inner, part, at] of partsOf(schema, value, pointer)) collect(inner, part, at, found)
}

/** What stands inside a schema: its wrapped schema, its alternatives, or its members with their values and pointers. */
function partsOf(
  schema: z.core.$ZodType,
  value: unknown,
  pointer: string,
): [z.core.$ZodType, unknown, string][] {
  if (schema instanceof z.core.$ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema._zod.def.shape
    return members(value).flatMap(([key, part]) => {
      const member = shape[key] ?? schema._zod.def.catchall
      return member === undefined ? [] : [[member, part, below(pointer, key)]]
    })
  }
  if (schema instanceof z.core.$ZodArray)
    return members(value).map(([key, part]) => [schema._zod.def.element, part, below(pointer, key)])
  if (schema instanceof z.core.$ZodRecord)
    return members(value).map(([key, part]) => [
      schema._zod.def.valueType,
      part,
      below(pointer, key),
    ])
  if (schema instanceof z.core.$ZodUnion)
    return optionsTaken(schema, value).map((option) => [option, value, pointer])
  if (schema instanceof z.core.$ZodIntersection)
    return [schema._zod.def.left, schema._zod.def.right].map((side) => [side, value, pointer])
  if (schema instanceof z.core.$ZodPipe) return [[schema._zod.def.in, value, pointer]]
  if (schema instanceof z.core.$ZodLazy) return [[schema._zod.def.getter(), value, pointer]]
  const inner = 'innerType' in schema._zod.def ? schema._zod.def.innerType : undefined
  return inner instanceof z.core.$ZodType ? [[inner, value, pointer]] : []
}

/** The option that reads the value, which is the first that takes it; all of them where none does. */
function optionsTaken(
  { _zod: { def } }: z.core.$ZodUnion,
  value: unknown,
): readonly z.core.$ZodType[] {
  const taken = def.options.find((option) => z.core.safeParse(option, value).success)
  return taken === undefined ? def.options : [taken]
}

/** Every string in a free-text value, with the name it has there; an object may be a private JWK as a whole. */
function screen(value: unknown, pointer: string, found: Found, label?: string): void {
  if (found.kinds.size >= FINDINGS_MAX) return
  if (typeof value === 'string') screenText(value, pointer, found, label)
  if (typeof value !== 'object' || value === null) return
  if (isPrivateJwk(value)) note('a private JWK', pointer, found)
  for (const [key, part] of members(value)) {
    // A name that is a secret itself is not repeated in a pointer.
    const secretName = Array.isArray(value) ? undefined : nameSecret(key, found.budget)
    if (secretName !== undefined) note(secretName, pointer, found)
    else screen(part, below(pointer, key), found, Array.isArray(value) ? label : key)
  }
}

function screenText(text: string, pointer: string, found: Found, label: string | undefined): void {
  const isFile = label === FILE_MEMBER
  if (!isFile || text.length <= KEY_CHARS_MAX)
    note(nameSecret(found.plain(text), found.budget, label), pointer, found)
  if (isFile) screenParts(decodedFile(text), pointer, found)
}

/** A text, and what its parts encode. */
function screenEncoded(value: unknown, pointer: string, found: Found): void {
  const encoded = { ...found, plain: withoutTokens }
  screen(value, pointer, encoded)
  if (typeof value === 'string') screenParts(decodedParts(value), pointer, encoded)
}

/** What the parts of a text encode; a finding is reported at the text. */
function screenParts(parts: Iterable<unknown>, pointer: string, found: Found): void {
  for (const decoded of parts) {
    const inside: Found = { ...found, kinds: new Map() }
    screen(decoded, '', inside)
    for (const kind of inside.kinds.values()) note(kind, pointer, found)
  }
}

function note(kind: string | undefined, pointer: string, { kinds }: Found): void {
  if (kind !== undefined && !kinds.has(pointer)) kinds.set(pointer, kind)
}

const members = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
const below = (pointer: string, key: string): string => `${pointer}${pointerOf([key])}`
