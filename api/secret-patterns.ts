import { createHash } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english'

const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a PEM block', /-----BEGIN [A-Z0-9 ]{1,60}-----/],
  ['an API key', /\b[sr]k_(live|test)_[0-9A-Za-z]{8,}/],
  ['an API key', /\bsk-(ant|proj|svcacct|or)-[0-9A-Za-z_-]{16,}/],
  ['an AWS access key', /\b(AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}/],
  ['a GitHub token', /\b(gh[oprsu]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,})/],
  ['a GitLab token', /\bglpat-[0-9A-Za-z_-]{16,}/],
  ['a Slack token', /\bxox[abeoprs]-[0-9A-Za-z-]{8,}/],
  ['a webhook secret', /\bwhs(ec|k)_[0-9A-Za-z+/=]{16,}/],
  ['a credential of this service', /\b(op|ag)_[0-9A-Za-z]{8,}_[0-9A-Za-z_-]{32,}/],
  ['a password in a URL', /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/],
]

/** The kind of secret that a text holds, in words for an error message; undefined when none is recognised. Bare hex is none. */
export function nameSecret(text: string): string | undefined {
  const known = patterns.find(([, pattern]) => pattern.test(text))
  if (known !== undefined) return known[0]
  if (holdsPrivateJwk(text)) return 'a private JWK'
  return holdsMnemonic(text) ? 'a recovery phrase' : undefined
}

/** JSON text, escaped or not, in which a `kty` stands beside a private `d`. */
function holdsPrivateJwk(text: string): boolean {
  return /"kty\\{0,3}"\s*:/.test(text) && /"d\\{0,3}"\s*:\s*\\{0,3}"[A-Za-z0-9_-]{20,}/.test(text)
}

const wordIndex = new Map(wordlist.map((word, index) => [word, index]))
const phraseLengths = [12, 15, 18, 21, 24]

/** An English BIP-39 phrase with a right checksum anywhere in the text, however its words are separated or numbered. */
function holdsMnemonic(text: string): boolean {
  let run: number[] = []
  for (const token of text
    .normalize('NFKD')
    .toLowerCase()
    .matchAll(/[a-z]+/g)) {
    const index = wordIndex.get(token[0])
    run = index === undefined ? [] : [...run.slice(-23), index]
    if (phraseLengths.some((length) => run.length >= length && checksumFits(run.slice(-length)))) return true
  }
  return false
}

/** BIP-39: 11 bits for each word, of which one in 33 belongs to the SHA-256 of the others. */
function checksumFits(indices: readonly number[]): boolean {
  const bits = indices.map((index) => index.toString(2).padStart(11, '0')).join('')
  const checksumLength = bits.length / 33
  const entropy = bits.slice(0, -checksumLength)
  const bytes = Uint8Array.from({ length: entropy.length / 8 }, (_, at) =>
    Number.parseInt(entropy.slice(at * 8, at * 8 + 8), 2),
  )
  const digest = createHash('sha256').update(bytes).digest()[0] ?? 0
  return digest.toString(2).padStart(8, '0').startsWith(bits.slice(-checksumLength))
}
