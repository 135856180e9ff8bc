import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { strictJson } from '#domain/core/json-text.ts'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { decodeBase64url, encodeBase64url } from './compact.ts'

type Disclosure = { readonly name?: string; readonly value: unknown }
type Known = Map<string, Disclosure>

const reserved = new Set(['_sd', '_sd_alg', '...'])
const DEPTH_MAX = 16

/** A disclosure of an array element, with the digest that stands for it. */
export function conceal(value: unknown): { disclosure: string; digest: string } {
  const text = JSON.stringify([randomBytes(16).toString('base64url'), value])
  const disclosure = encodeBase64url(Buffer.from(text))
  return { disclosure, digest: sha256Base64url(disclosure) }
}

/**
 * The value with every disclosure in its place (RFC 9901 §7.1): each is referenced exactly once, and no digest occurs twice. Elements
 * of the lists in `mayStayHidden` may be left out; anything else that stays hidden is refused, since it could be what restricts.
 */
export function reveal(
  value: unknown,
  disclosures: readonly string[],
  mayStayHidden: ReadonlySet<string>,
): unknown {
  const known: Known = new Map(disclosures.map((text) => [sha256Base64url(text), parsed(text)]))
  if (known.size !== disclosures.length) throw new TypeError('a disclosure is repeated')
  const seen = new Set<string>()
  const take = (digest: unknown): Disclosure | undefined => {
    const text = z.string().parse(digest)
    if (seen.has(text)) throw new TypeError('a digest occurs twice')
    seen.add(text)
    const found = known.get(text)
    known.delete(text)
    return found
  }
  const revealed = walked(value, { take, mayStayHidden, name: '', depth: 0 })
  if (known.size > 0) throw new TypeError('a disclosure has no reference')
  return revealed
}

type Walk = {
  readonly take: (digest: unknown) => Disclosure | undefined
  readonly mayStayHidden: ReadonlySet<string>
  /** The member that holds the value. */
  readonly name: string
  readonly depth: number
}

function walked(value: unknown, walk: Walk): unknown {
  if (walk.depth > DEPTH_MAX) throw new RangeError('it is nested too deeply')
  const inside = { ...walk, depth: walk.depth + 1 }
  if (Array.isArray(value)) return value.flatMap((element) => elementsOf(element, inside))
  if (typeof value !== 'object' || value === null) return value
  const { _sd: hidden = [], ...plain } = value as Record<string, unknown>
  if ('...' in plain) throw new TypeError('a digest is not an element of a list')
  const members = Object.entries(plain).map(([name, member]): [string, unknown] => [
    name,
    walked(member, { ...inside, name }),
  ])
  for (const digest of z.array(z.string()).parse(hidden)) {
    const found = walk.take(digest)
    const name = found?.name
    if (name === undefined) throw new TypeError('a claim is not disclosed')
    if (reserved.has(name) || Object.hasOwn(plain, name) || members.some(([of]) => of === name))
      throw new TypeError('a disclosure shadows a claim')
    members.push([name, walked(found?.value, { ...inside, name })])
  }
  return Object.fromEntries(members)
}

function elementsOf(element: unknown, walk: Walk): unknown[] {
  if (typeof element !== 'object' || element === null || !('...' in element))
    return [walked(element, walk)]
  if (Object.keys(element).length !== 1) throw new TypeError('a digest has other members')
  const found = walk.take(element['...'])
  if (found === undefined && walk.mayStayHidden.has(walk.name)) return []
  if (found === undefined || found.name !== undefined)
    throw new TypeError('an element is not disclosed')
  return [walked(found.value, walk)]
}

function parsed(text: string): Disclosure {
  const array = strictJson(decodeBase64url(text))
  if (!Array.isArray(array)) throw new TypeError('a disclosure is not a list')
  const [salt, second, third] = array
  if (typeof salt !== 'string') throw new TypeError('a disclosure has no salt')
  if (array.length === 2) return { value: second }
  if (array.length === 3 && typeof second === 'string') return { name: second, value: third }
  throw new TypeError('a disclosure has neither two nor three elements')
}
