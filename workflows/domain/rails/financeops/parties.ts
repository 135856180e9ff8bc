import type { FinanceopsHead } from './schema.ts'

const legalForms =
  /^(inc|incorporated|corp|corporation|co|company|llc|llp|lp|ltd|limited|plc|gmbh|mbh|ag|kg|ohg|ug|se|sa|sas|sarl|srl|spa|bv|nv|oy|ab|as|aps|kft|doo|pty|pvt|holding|group)$/

/**
 * `Café Müller & Co. GmbH` → `cafe muller`: without case, accents, punctuation, the joining word and legal forms at the end; the
 * whole name where nothing else is left of it.
 */
export function partyKey(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/ø/g, 'o')
    .replace(/(?<=\b\p{L})\.(?=\p{L}\b)/gu, '')
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !isJoining(word))
  const kept = words.findLastIndex((word) => !legalForms.test(word))
  const named = kept === -1 ? words : words.slice(words[0] === 'the' && kept > 0 ? 1 : 0, kept + 1)
  return named.length === 0 ? plain.trim() : named.join(' ')
}

const isJoining = (word: string) => word === 'and' || word === 'und' || word === 'et'

export type Parties = {
  /** The party that a name stands for. */
  keyOf(name: string): string
  /** How two names are of one party; `other` where they are not. */
  sameBy(one: string, other: string): 'name' | 'spelling' | 'alias' | 'other'
}

export function parties(aliases: FinanceopsHead['party_aliases'] = []): Parties {
  const alias = new Map(aliases.map(({ name, party }) => [partyKey(name), partyKey(party)]))
  const keys = new Map<string, string>()
  const plainKey = (name: string) => {
    const known = keys.get(name) ?? partyKey(name)
    keys.set(name, known)
    return known
  }
  const keyOf = (name: string) => alias.get(plainKey(name)) ?? plainKey(name)
  return {
    keyOf,
    sameBy(one, other) {
      if (one === other) return 'name'
      if (plainKey(one) === plainKey(other)) return 'spelling'
      return keyOf(one) === keyOf(other) ? 'alias' : 'other'
    },
  }
}
