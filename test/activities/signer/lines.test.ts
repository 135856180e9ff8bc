import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'
import { readLines } from '../../../activities/signer/lines.ts'
import { verifies } from '../../verifies.ts'

/** What is read of these chunks, and whether the connection was ended. */
function read(chunks: readonly Uint8Array[]) {
  const lines: string[] = []
  let ended = false
  const socket = Object.assign(new EventEmitter(), {
    destroy: () => {
      ended = true
    },
  })
  readLines(socket as unknown as Socket, (line) => lines.push(line))
  for (const chunk of chunks) socket.emit('data', Buffer.from(chunk))
  return { lines, ended }
}

verifies('signer.process', 'lines are the same however the bytes are cut', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 8 })
  const cuts = fc.array(fc.nat(200), { maxLength: 12 })
  fc.assert(
    fc.property(texts, cuts, (sent, at) => {
      const lines = sent.map((text) => text.replaceAll('\n', ''))
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const places = [0, ...at.map((one) => Math.min(one, bytes.length)), bytes.length].sort(
        (one, other) => one - other,
      )
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      expect(read(chunks)).toEqual({ lines, ended: false })
    }),
  )
})

verifies('signer.process', 'a torn line is not read, and a line above 1 MiB ends it', () => {
  expect(read([Buffer.from('{"a":1}\n{"b"')]).lines).toEqual(['{"a":1}'])
  const most = 1024 * 1024
  expect(read([Buffer.alloc(most, 'x')]).ended).toBe(false)
  expect(read([Buffer.alloc(most, 'x'), Buffer.from('x')])).toEqual({ lines: [], ended: true })
})
