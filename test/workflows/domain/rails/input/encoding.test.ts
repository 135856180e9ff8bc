import fc from 'fast-check'
import { expect } from 'vitest'
import { decodeText, TextReader } from '#domain/rails/input/encoding.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { verifies } from '../../../../verifies.ts'

const text = 'Prüfung: MFA is not enforced – 3 € für 2 Schlüssel „neu“ žŽ.'
/** The bytes of Windows-1252 that Latin-1 does not have. */
const bytes1252 = new Map([...'€–„“žŽ'].map((one, at) => [one, [128, 150, 132, 147, 158, 142][at]]))
const windows1252 = Uint8Array.from(text, (one) => bytes1252.get(one) ?? one.charCodeAt(0))
const utf16le = Buffer.from(`\ufeff${text}`, 'utf16le')
const written = {
  'utf-8': Buffer.from(text),
  'windows-1252': windows1252,
  'utf-16le': utf16le,
  'utf-16be': Buffer.from(utf16le).swap16(),
  'utf-16le-unmarked': Buffer.from(text, 'utf16le'),
  'utf-16be-unmarked': Buffer.from(text, 'utf16le').swap16(),
}

verifies('files.encodings', 'each encoding is read, wherever the bytes are cut', () => {
  for (const [encoding, bytes] of Object.entries(written)) {
    expect(decodeText(bytes)).toEqual({ text, encoding })
    for (let cut = 0; cut <= bytes.length; cut += 1)
      for (const width of [1, 2, 3]) {
        const reader = new TextReader()
        const parts = [bytes.slice(0, cut), bytes.slice(cut, cut + width), bytes.slice(cut + width)]
        const read = parts.map((part) => reader.take(part)).join('') + reader.end()
        expect([read, reader.encoding]).toEqual([text, encoding])
      }
  }
  expect(decodeText(Buffer.from('\ufeffa\ufeffb'))?.text).toBe('a\ufeffb')
  expect(decodeText(Buffer.from('a\ufeffb'))?.text).toBe('a\ufeffb')
  expect(decodeText(Buffer.from('Caf\xe9', 'latin1'))?.text).toBe('Café')
  expect(decodeText(Buffer.from([]))).toEqual({ text: '', encoding: 'utf-8' })
})

verifies('files.encodings', 'what began as another encoding, or is no text, is not read', () => {
  for (const bytes of [
    [0xc3, 0xbc, 0xe9, 0x20],
    [0xff, 0xfe, 0x41],
    [0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00],
    [0x41, 0x81],
    [0xe9, 0x20, 0x00],
    [0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10],
  ])
    expect(decodeText(Uint8Array.from(bytes))).toBeUndefined()
})

verifies('files.encodings', 'a packet reads them, and a finding says which', () => {
  const workOn = (bytes: Uint8Array) =>
    packetops.work({
      title: 't',
      required_sections: ['s'],
      as_of: '2026-06-30',
      items: [{ name: 'i', section: 's', content_base64: Buffer.from(bytes).toString('base64') }],
    })
  const notes = Object.values(written).map((bytes) => {
    const { result, findings, gaps } = workOn(bytes)
    expect(result.weaknesses.map(({ code }) => code)).toEqual(['control_failing'])
    expect(gaps).toEqual([])
    return findings.find(({ code }) => code === 'encoding_read')?.detail
  })
  expect(notes).toEqual([
    undefined,
    'the content of “i” in s is not UTF-8: it was read as Windows-1252, which is assumed',
    'the content of “i” in s is read as UTF-16LE, as its byte order mark says',
    'the content of “i” in s is read as UTF-16BE, as its byte order mark says',
    'the content of “i” in s is read as UTF-16LE without a byte order mark, as its zero bytes show',
    'the content of “i” in s is read as UTF-16BE without a byte order mark, as its zero bytes show',
  ])
  expect(workOn(Buffer.from([0xff, 0xfe, 0x41])).gaps.map(({ code }) => code)).toContain(
    'content_not_read',
  )
})

const asBytes = (unmarked: string, isLittle: boolean) => {
  const bytes = Buffer.from(unmarked, 'utf16le')
  return isLittle ? bytes : bytes.swap16()
}

verifies('files.unmarked', 'UTF-16 without a mark is read as with one, however cut', () => {
  const western = fc.string({ unit: fc.constantFrom(...'aZ09 ,;\n\tüß'), minLength: 8 })
  const other = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 5_000 })
  const cuts = fc.array(fc.nat(9_000), { maxLength: 4 })
  fc.assert(
    fc.property(fc.oneof(western, other), fc.boolean(), cuts, (begun, isLittle, at) => {
      // Beyond the sample, any character is read.
      const said = begun.length < 2_048 ? begun : `${begun}–€Ж漢😀`
      const bytes = asBytes(said, isLittle)
      const reader = new TextReader()
      const places = [0, ...at.toSorted((a, b) => a - b), bytes.length]
      const parts = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      expect(parts.map((part) => reader.take(part)).join('') + reader.end()).toBe(said)
      expect(reader.encoding).toBe(isLittle ? 'utf-16le-unmarked' : 'utf-16be-unmarked')
    }),
  )
})

verifies('files.unmarked', 'a text of UTF-8 and a binary file are not taken for it', () => {
  const isUnmarked = (bytes: Uint8Array) => decodeText(bytes)?.encoding.endsWith('-unmarked')
  const text = fc
    .string({ unit: 'binary', maxLength: 6_000 })
    .map((one) => one.replaceAll('\0', ''))
  fc.assert(fc.property(text, (one) => !isUnmarked(Buffer.from(one))))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 6_000 }), (bytes) => !isUnmarked(bytes)))
  // Numbers of 16 bits have control characters, zero at both places, or few zero bytes.
  const numbers = fc.array(fc.nat(65_535), { minLength: 64 })
  const small = fc.array(fc.nat(8), { minLength: 4 })
  fc.assert(
    fc.property(fc.oneof(numbers, small), (of) => {
      const one = Buffer.from(Uint16Array.from(of).buffer)
      return !isUnmarked(one) && !isUnmarked(Buffer.from(one).swap16())
    }),
  )
  const files = [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    [0x00, 0x01, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x80],
    [0x4d, 0x00, 0x00, 0x00, 0x46, 0x00, 0x00, 0x00],
    [0x61, 0x00, 0x62, 0x00, 0x63, 0x00],
    [0x61, 0x00, 0x62, 0x00, 0x63, 0x00, 0x64, 0x00, 0x65],
    [0x61, 0x00, 0x62, 0x00, 0x63, 0x00, 0x64, 0x00, 0x3d, 0xd8],
    [0x61, 0x00, 0x62, 0x00, 0x63, 0x00, 0x64, 0x00, 0x00, 0x00],
    [0x61, 0x00, 0x62, 0x00, 0x63, 0x00, 0x64, 0x00, 0x07, 0x00],
  ]
  for (const bytes of files) expect(isUnmarked(Uint8Array.from(bytes)), String(bytes)).toBeFalsy()
  // What follows the sample is text to its end, or the whole is none.
  const long = 'a'.repeat(3_000)
  for (const end of ['\0', '\u0007', '\ud83d', '\ufdd0'])
    expect(decodeText(asBytes(long + end, true))).toBeUndefined()
  expect(decodeText(asBytes(`${long}b`, true).subarray(0, -1))).toBeUndefined()
})
