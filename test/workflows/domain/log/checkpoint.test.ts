import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  checkpointText,
  cosignatureBytes,
  cosignedText,
  NOTE_COSIGNATURE,
  NOTE_ED25519,
  type NoteKey,
  type NoteType,
  noteKeyId,
  openCheckpoint,
  parseCheckpointText,
  parseNote,
  parseSignatureLine,
  parseVerifierKey,
  signatureLine,
  signedNote,
  verifierKey,
  verifyCosignature,
} from '#domain/log/checkpoint.ts'
import { verifies } from '../../../verifies.ts'

function signer(name: string, type: NoteType) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key: NoteKey = {
    name,
    type,
    key: new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
  }
  return { key, sign: (text: string) => new Uint8Array(sign(null, Buffer.from(text), privateKey)) }
}

const origin = 'agent.example/log'
const log = signer(origin, NOTE_ED25519)
const witness = signer('witness.example/w1', NOTE_COSIGNATURE)
const root = new Uint8Array(createHash('sha256').update('root').digest())
const text = checkpointText({ origin, size: 257, root })
const logLine = signatureLine(log.key, log.sign(text))
const cosigned = (time: number) =>
  signatureLine(witness.key, cosignatureBytes(time, witness.sign(cosignedText(time, text))))

verifies('log.checkpoint', 'the key of the sum database of Go reads as it is published', () => {
  const published = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'
  const key = parseVerifierKey(published)!
  expect(key.name).toBe('sum.golang.org')
  expect(Buffer.from(noteKeyId(key)).toString('hex')).toBe('033de0ae')
  expect(verifierKey(key)).toBe(published)
  expect(parseVerifierKey(published.replace('033', '034'))).toBeUndefined()
  expect(parseVerifierKey(`${published} `)).toBeUndefined()
})

verifies('log.checkpoint', 'a checkpoint opens with the key of its log', () => {
  const note = signedNote(text, [logLine, cosigned(1_800_000_000)])
  const opened = openCheckpoint(note, log.key)
  expect(opened).toMatchObject({
    ok: true,
    checkpoint: { origin, size: 257, root, extensions: [] },
  })
  const line = parseNote(note)!.signatures[1]!
  expect(verifyCosignature(line, text, witness.key)).toEqual({ time: 1_800_000_000 })
})

verifies('log.checkpoint', 'each refused checkpoint names its reason', () => {
  const faultOf = (note: string, key = log.key) => {
    const opened = openCheckpoint(note, key)
    return opened.ok ? undefined : opened.fault
  }
  const note = signedNote(text, [logLine])
  expect(faultOf(note, signer(origin, NOTE_ED25519).key)).toBe('unknown_key')
  expect(faultOf(note, { ...log.key, name: 'other.example/log' })).toBe('other_origin')
  expect(faultOf(note.replace('257', '258'))).toBe('bad_signature')
  expect(faultOf(signedNote(text, [logLine, signatureLine(log.key, new Uint8Array(64))]))).toBe(
    'bad_signature',
  )
  for (const wrong of [
    '',
    text,
    `${text}\n`,
    note.replace('257', '0257'),
    note.replace('257', '-1'),
    note.slice(0, -1),
    `${note}\n`,
  ])
    expect(faultOf(wrong)).toBe('malformed')
})

verifies('log.checkpoint', 'each changed byte of a checkpoint has its reason', () => {
  const note = Buffer.from(signedNote(text, [logLine, cosigned(1_800_000_000)]))
  const ends = {
    origin: origin.length,
    text: Buffer.byteLength(text),
    log: Buffer.byteLength(`${text}\n${logLine}`),
  }
  // A changed name, key id or base64 letter of a line leaves no line of the log's key.
  const expected = (at: number): string[] => {
    if (at < ends.origin) return ['other_origin', 'malformed']
    if (at < ends.text) return ['malformed', 'bad_signature', 'other_origin']
    if (at < ends.log) return ['malformed', 'bad_signature', 'unknown_key']
    return ['malformed', 'cosignature']
  }
  const faultOf = (changed: Buffer): string => {
    const opened = openCheckpoint(changed.toString('utf8'), log.key)
    if (!opened.ok) return opened.fault
    const seen = opened.note.signatures.some((line) =>
      verifyCosignature(line, opened.note.text, witness.key),
    )
    return seen ? 'none' : 'cosignature'
  }
  expect(faultOf(note)).toBe('none')
  for (let at = 0; at < note.length; at++)
    for (const mask of [1, 2, 0x20, 0x80]) {
      const changed = Buffer.from(note)
      changed[at]! ^= mask
      expect(expected(at), `${at} ^ ${mask}`).toContain(faultOf(changed))
    }
})

verifies('log.checkpoint', 'a key of one type signs nothing of the other', () => {
  const asWitness: NoteKey = { ...log.key, type: NOTE_COSIGNATURE }
  const line = parseSignatureLine(
    signatureLine(asWitness, cosignatureBytes(1, log.sign(text))).trimEnd(),
  )!
  expect(verifyCosignature(line, text, asWitness)).toBeUndefined()
  expect(openCheckpoint(signedNote(text, [logLine]), asWitness)).toEqual({
    ok: false,
    fault: 'unknown_key',
  })
  expect(verifyCosignature(parseSignatureLine(logLine.trimEnd())!, text, log.key)).toBeUndefined()
})

verifies('log.checkpoint', 'parsers answer any text, and give back what they accept', () => {
  const note = signedNote(text, [logLine, cosigned(1)])
  const mutated = fc
    .tuple(fc.nat(note.length), fc.nat(20), fc.string({ unit: 'binary', maxLength: 20 }))
    .map(([at, cut, insert]) => note.slice(0, at) + insert + note.slice(at + cut))
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), mutated), (given) => {
      parseVerifierKey(given)
      parseSignatureLine(given)
      const parsed = parseNote(given)
      if (parsed === undefined) return
      const lines = parsed.signatures.map(
        ({ name, id, signature }) =>
          `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`,
      )
      expect(signedNote(parsed.text, lines)).toBe(given)
      const read = parseCheckpointText(parsed.text)
      if (read !== undefined)
        expect(checkpointText(read) + read.extensions.map((line) => `${line}\n`).join('')).toBe(
          parsed.text,
        )
    }),
    { numRuns: 500 },
  )
})

verifies('log.checkpoint', 'a note has at most 64 KiB and 64 signatures', () => {
  expect(parseNote(signedNote(text, Array(64).fill(logLine)))).toBeDefined()
  expect(parseNote(signedNote(text, Array(65).fill(logLine)))).toBeUndefined()
  expect(parseNote(signedNote(`${text}${'x'.repeat(65_536)}\n`, [logLine]))).toBeUndefined()
})
