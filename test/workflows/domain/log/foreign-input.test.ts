import fc from 'fast-check'
import { expect } from 'vitest'
import { readAddCheckpoint } from '#domain/log/add-checkpoint.ts'
import { cosignedAt, openCheckpoint, parseNote, parseVerifierKey } from '#domain/log/checkpoint.ts'
import { parseKeptProof } from '#domain/log/kept-proof.ts'
import { createLogKey, createWitnessSigner, proofText } from '../../../support/memory-log.ts'
import { neverOver50ms } from '../../../support/never-over.ts'
import { verifies } from '../../../verifies.ts'

const log = createLogKey()
const witness = createWitnessSigner()
const HASH = `${'A'.repeat(43)}=`

/** Everything that reads the text of a stranger. */
function readAll(text: string): void {
  readAddCheckpoint(text)
  parseKeptProof(text)
  parseVerifierKey(text)
  openCheckpoint(text, log.key)
  const note = parseNote(text)
  if (note !== undefined) cosignedAt(note, witness.key)
}

const lines = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom('old 5', 'old 05', 'index 5', '', '— a AAAAAAAA', HASH, log.key.name, '7'),
    fc.constant('c2sp.org/tlog-proof@v1'),
  ),
  { maxLength: 90 },
)

verifies('log.foreign-input', 'no text makes a reader throw or take 50 ms', () => {
  neverOver50ms(lines, (given) => {
    const text = given.join('\n')
    readAll(text)
    expect(readAddCheckpoint(text)?.proof.length ?? 0).toBeLessThanOrEqual(63)
    expect(parseKeptProof(text)?.path.length ?? 0).toBeLessThanOrEqual(63)
  })
})

verifies('log.foreign-input', 'what is read is what was written', () => {
  const hashes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 63 })
  fc.assert(
    fc.property(fc.maxSafeNat(), hashes, (index, path) => {
      const note = log.checkpoint([])
      expect(parseKeptProof(proofText(index, path, note))).toEqual({ index, path, note })
      expect(
        parseKeptProof(proofText(index, [...path, ...Array(64).fill(new Uint8Array(32))], note)),
      ).toBe(undefined)
    }),
    { numRuns: 30 },
  )
})

const note = log.checkpoint([Uint8Array.of(1)])
const cosigned = witness.cosign(note, 1_800_000_000)
/** Texts of a stranger that grow with `size`, each made to keep a reader busy. */
const shapes: Record<string, (size: number) => string> = {
  'one line': (size) => 'old '.padEnd(size, '1'),
  'lines of hashes': (size) => `old 5\n${`${HASH}\n`.repeat(size / 45)}\n${note}`,
  'empty lines': (size) => `old 5\n${'\n'.repeat(size)}`,
  'a long name': (size) => `— ${'a'.repeat(size)} AAAAAAAA\n`,
  'plus signs': (size) => 'a+'.repeat(size / 2),
  'signature lines': (size) => `${note}${cosigned.repeat(size / cosigned.length)}`,
  'extension lines': (size) =>
    log.signText(`${log.key.name}\n1\n${HASH}\n${'x\n'.repeat(size / 2)}`),
}

/** What a witness reads of one request. */
const REQUEST_BYTES_MAX = 131_072

verifies('log.foreign-input', 'the longest request takes no reader 50 ms', () => {
  const texts = Object.values(shapes).map((make) => make(REQUEST_BYTES_MAX))
  neverOver50ms(fc.constantFrom(...texts), readAll, 50)
})

verifies('log.foreign-input', 'the time of a reader grows at most with the text', () => {
  const SIZE = 16_384
  for (const [name, make] of Object.entries(shapes)) {
    const [small, large] = [make(SIZE), make(8 * SIZE)]
    readAll(large)
    // The least of some tries; the machine may disturb any of them, and a signature costs the same in both.
    const ratio = () => leastTime(large) / leastTime(small)
    const found = [ratio(), ratio(), ratio()]
    expect(Math.min(...found), `${name}: ${found}`).toBeLessThan(24)
  }
})

function leastTime(text: string): number {
  const times = Array.from({ length: 7 }, () => {
    const begun = performance.now()
    readAll(text)
    return performance.now() - begun
  })
  return Math.min(...times)
}
