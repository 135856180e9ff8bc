import { forbiddenClaims } from './missions.ts'

/** A named part of a package; `text` is there when its bytes were given and hashed. */
export type PackageItem = {
  readonly name: string
  readonly sha256: string
  readonly bytes: number | null
  readonly text: string | null
}
export type Claim = { readonly claim: string; readonly artifact: string }

/**
 * `bound`: the item holds the claim word for word. `not_stated`: it does not. `not_given`: the item is a digest alone. `unknown_item`:
 * the package has no such item.
 */
export const claimStates = ['bound', 'not_stated', 'not_given', 'unknown_item'] as const
type ClaimState = (typeof claimStates)[number]
export type JudgedClaim = Claim & { readonly state: ClaimState; readonly forbidden: string | null }

/** Judges each claim by the item that it names. */
export function judgeClaims(
  claims: readonly Claim[],
  items: readonly PackageItem[],
): JudgedClaim[] {
  const texts = new Map(items.map(({ name, text }) => [name, text]))
  const words = new Map<string, string>()
  const wordsOf = (name: string, text: string): string => {
    const known = words.get(name) ?? joined(text)
    words.set(name, known)
    return known
  }
  return claims.map((one) => {
    const text = texts.get(one.artifact)
    const forbidden = forbiddenClaims.find(({ pattern }) => pattern.test(one.claim))?.code ?? null
    if (text === undefined) return { ...one, state: 'unknown_item', forbidden }
    if (text === null) return { ...one, state: 'not_given', forbidden }
    const isStated = states(wordsOf(one.artifact, text), joined(one.claim))
    return { ...one, state: isStated ? 'bound' : 'not_stated', forbidden }
  })
}

/** Words and numbers in lower case, each between spaces; a number with its fraction is one of them. */
const joined = (text: string): string =>
  ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? []).join(' ')} `

const states = (text: string, claim: string): boolean => claim.trim() !== '' && text.includes(claim)
