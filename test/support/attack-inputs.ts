import type { z } from 'zod'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { limits } from '#domain/core/limits.ts'
import { isBodyOptional } from '../../api/calls/body.ts'
import type { AnyOperation } from '../../api/operation.ts'
import { placesIn, withValue, writes } from './attacks.ts'

/** The operations behind the path of one. */
const sharing = ({ http: { path, method } }: AnyOperation) =>
  writes.filter(({ http }) => http.path === path && http.method === method)
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
/** Bodies that are no input, each made of the JSON of one that is. */
export const malformed: readonly ((
  json: string,
  operation: AnyOperation,
) => string | Uint8Array)[] = [
  // No body at all is one, where it may be left out.
  (_json, operation) => (isBodyOptional(sharing(operation)) ? ' ' : ''),
  () => 'null',
  () => '[]',
  () => '"text"',
  () => '-0',
  () => 'NaN',
  (json) => json.slice(0, -1),
  (json) => `${json}}`,
  (json) => Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xc3, 0x28, 0x7d])]),
  (json) => Buffer.concat([Buffer.from(json), Buffer.alloc(3)]),
  (json) => json.replace('{', `{"deep":${nested(limits.jsonDepthMax)},`),
  (json) => json.replace('{', `{"deep":${nested(20_000)},`),
  (json) => json.replace('{', '{"\\ud800":1,'),
  (json) => json.replace(/:"/, ':"\\udfff'),
  (json) => json.replace(/:"/, ':"\\u0000'),
  () => '1e999',
  (json) => json.replace('{', '{"huge":-1E+999,'),
  (json) => json.replace('{', `{"huge":[0, ${'9'.repeat(400)}.5],`),
  (json, { limits: own }) => `${json.slice(0, -1)}${' '.repeat(own?.bodyBytes ?? 65_536)}}`,
]

/** Texts that mean something to a browser, SQL, a terminal, a log, a template or a file system. */
export const hostile = [
  '<img src=x onerror=alert(1)>',
  "'; drop table agents; --",
  '\u001b[31mred\u001b[0m',
  'two\r\nSet-Cookie: a=b',
  '\u202egnp.exe',
  'a\u0000b',
  '$'.concat('{7*7} {{7*7}} %n%s'),
  '../../../etc/passwd',
  '__proto__',
  '__'.repeat(40_000),
]
/** Addresses inside of the network of the service, in forms that hide it, and schemes that are none of callbacks. */
export const inside = [
  'http://hooks.northwind.example/in',
  'https://localhost/in',
  'https://127.0.0.1/in',
  'https://127.1/in',
  'https://2130706433/in',
  'https://0x7f000001/in',
  'https://0/in',
  'https://[::1]/in',
  'https://[::ffff:10.0.0.1]/in',
  'https://10.0.0.1/in',
  'https://192.168.1.1/in',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/in',
  'https://user:word@hooks.northwind.example/in',
  'https://127.0.0.1.:5432/in',
  'ftp://hooks.northwind.example/in',
  'javascript:alert(1)',
  'file:///etc/passwd',
]
const fits = ({ input }: AnyOperation, value: unknown) => (input as z.ZodType).safeParse(value)

/** The input with another value at its first place where the schema takes one. */
export function otherTerms(operation: AnyOperation, input: unknown): unknown {
  const before = canonicalJson(fits(operation, input).data)
  for (const [path, value] of placesIn(input)) {
    if (path.at(-1) === 'idempotency_key' || path.at(-1) === 'mode') continue
    const others = typeof value === 'number' ? [value + 1] : [`${value} x`, !value]
    for (const other of typeof value === 'object' ? [] : others) {
      const changed = withValue(input, path, other)
      const read = fits(operation, changed)
      if (read.success && canonicalJson(read.data) !== before) return changed
    }
  }
  return undefined
}
