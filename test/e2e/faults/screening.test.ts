import { sha256 } from '@noble/hashes/sha2'
import { wordlist } from '@scure/bip39/wordlists/english'
import { expect } from 'vitest'
import { z } from 'zod'
import { findForbiddenMaterial } from '../../../activities/screening/free-text.ts'
import { verifies } from '../../verifies.ts'

/** Words whose checksums never fit, so that every one is worked out. */
function withoutPhrase(count: number): string {
  const short = wordlist.filter(({ length }) => length === 3)
  return Array.from({ length: count }, (_, at) => short[(at * 7) % short.length]).join(' ')
}

const filled = (piece: string) => (bytes: number) =>
  piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes)
const elevenWords = 'legal winner thank year wave sausage worth useful legal winner thank . '
const hostile: Record<string, (bytes: number) => unknown> = {
  'three-letter words': (bytes) => withoutPhrase(bytes / 4),
  'runs of eleven words': filled(elevenWords),
  'starts of URLs': filled('://'),
  'users of URLs': filled('://a:b'),
  'one long user': (bytes) => `://${filled('a')(bytes)}`,
  'starts of PEM': filled('-----BEGIN '),
  'key types': filled('"kty"   :'),
  'labels of keys': filled('seed '),
  'labelled short hex': filled(`seed ${'ab'.repeat(31)} `),
  'hex keys without label': filled(`${'ab'.repeat(32)} `),
  'credentials cut short': filled('ag_aaaaaaaa_a '),
  'one long credential': (bytes) => `ag_${filled('a')(bytes)}`,
  'passwords of nothing': filled('password= '),
  'spaces after bearer': filled('bearer        '),
  'numbers and hyphens': filled('123-45-'),
  'one long word': filled('a'),
  'compatibility characters': (bytes) => filled('\ufdfa')(bytes / 3),
  'many members': (bytes) =>
    Object.fromEntries(Array.from({ length: bytes / 24 }, (_, at) => [`k${at}`, 'zoo zoo zoo'])),
  'nested keys': (bytes) =>
    nested({ kty: 'a', d: 'b' }, Math.min(60, bytes / 20), filled('c')(bytes)),
}
function nested(inner: object, levels: number, rest: string): unknown {
  return levels <= 0 ? rest : { ...inner, e: nested(inner, levels - 1, rest) }
}

const schema = z.strictObject({ said: z.unknown().meta({ 'x-free-text': true }) })
const HASHES_MAX = 16
const RATIO_MAX = 2.5
const TRIES = 8

/** Processor time in milliseconds: the least of several runs, because other processes only add to it. */
function costOf(work: () => unknown): number {
  const runs = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...runs)
}
const cost = (said: unknown) => costOf(() => findForbiddenMaterial(schema, { said }))

const SMALLEST = 65_536
const bytes = new Uint8Array(SMALLEST).fill(7)
/** How many times longer it takes to screen the text than to hash as many bytes on this machine. */
const inHashes = (said: unknown) => cost(said) / costOf(() => sha256(bytes))

/** Measures again while the limit is exceeded: another process may spoil a measurement, but not all eight. */
function leastOf(measure: () => number, limit: number): number {
  let least = measure()
  for (let tries = 1; least > limit && tries < TRIES; tries += 1) least = Math.min(least, measure())
  return least
}

/** Below two milliseconds the clock measures little. */
const ratioOf = (smaller: unknown, larger: unknown) => cost(larger) / Math.max(2, cost(smaller))

for (const [name, make] of Object.entries(hostile))
  verifies('admission.screening-bounded', `screening ${name} is cheap and grows linearly`, () => {
    const texts = [1, 2, 4, 8, 16].map((times) => make(times * SMALLEST))
    expect(leastOf(() => inHashes(texts[0]), HASHES_MAX)).toBeLessThanOrEqual(HASHES_MAX)
    for (const [at, larger] of texts.slice(1).entries())
      expect(
        leastOf(() => ratioOf(texts[at], larger), RATIO_MAX),
        `doubling ${at + 1}`,
      ).toBeLessThanOrEqual(RATIO_MAX)
  })
