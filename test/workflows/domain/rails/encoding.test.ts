import { expect } from 'vitest'
import { decodeText, TextReader } from '#domain/rails/encoding.ts'
import { packetops } from '#domain/rails/packetops.ts'
import { verifies } from '../../../verifies.ts'

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
  ])
  expect(workOn(Buffer.from([0xff, 0xfe, 0x41])).gaps.map(({ code }) => code)).toContain(
    'content_not_read',
  )
})
