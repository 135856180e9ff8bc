import fc from 'fast-check'
import { expect } from 'vitest'
import {
  addCheckpointText,
  judgeCheckpoint,
  readAddCheckpoint,
} from '#domain/log/add-checkpoint.ts'
import { consistencyOf, rootOf } from '../../../support/memory-log.ts'
import { verifies } from '../../../verifies.ts'

const entries = Array.from({ length: 70 }, (_, at) => Uint8Array.of(at))
const head = (size: number, of = entries) => ({
  size,
  root: new Uint8Array(rootOf(of.slice(0, size))),
})
const proof = (older: number, newer: number) =>
  older === 0 ? [] : consistencyOf(older, entries.slice(0, newer))
const sizes = fc
  .tuple(fc.nat(entries.length), fc.nat(entries.length))
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
const statusOf = (...given: Parameters<typeof judgeCheckpoint>) => judgeCheckpoint(...given).status

verifies('log.witness.judged', 'each honest growth is cosigned, and survives its text', () => {
  fc.assert(
    fc.property(sizes, ([older, newer]) => {
      const asked = { oldSize: older, proof: proof(older, newer), note: 'note\n' }
      const read = readAddCheckpoint(addCheckpointText(asked))!
      expect(read).toEqual({ ...asked, proof: asked.proof.map((hash) => new Uint8Array(hash)) })
      expect(statusOf(head(older), read, head(newer))).toBe(200)
      if (older === 0) expect(statusOf(undefined, read, head(newer))).toBe(200)
    }),
  )
})

verifies('log.witness.judged', 'no tree that lost or changed an entry is cosigned', () => {
  fc.assert(
    fc.property(sizes, fc.nat(), fc.boolean(), ([older, newer], at, drop) => {
      fc.pre(older > 0)
      const lying = [...entries]
      if (drop) lying.splice(at % older, 1)
      else lying[at % older] = Uint8Array.of(255)
      // The best that the log can do is a proof of its own tree.
      const asked = {
        oldSize: older,
        proof: older === newer ? [] : consistencyOf(older, lying.slice(0, newer)),
      }
      expect(judgeCheckpoint(head(older), asked, head(newer, lying))).toMatchObject({
        status: 422,
        contradicts: older === newer,
      })
    }),
  )
})

verifies('log.witness.judged', 'each other fault has its status', () => {
  const none = { oldSize: 0, proof: [] }
  expect(statusOf(undefined, { oldSize: 9, proof: [] }, head(8))).toBe(400)
  expect(statusOf(head(5), { oldSize: 4, proof: proof(4, 8) }, head(8))).toBe(409)
  expect(statusOf(head(5), none, head(8))).toBe(409)
  expect(statusOf(undefined, { oldSize: 5, proof: proof(5, 8) }, head(8))).toBe(409)
  expect(statusOf(undefined, { oldSize: 0, proof: proof(5, 8) }, head(8))).toBe(422)
  expect(statusOf(undefined, none, { size: 0, root: head(1).root })).toBe(422)
  expect(statusOf(undefined, none, head(0))).toBe(200)
  expect(statusOf(head(0), none, head(3))).toBe(200)
  expect(statusOf(head(5), { oldSize: 5, proof: proof(5, 8) }, head(5))).toBe(422)
  expect(statusOf(head(5), { oldSize: 5, proof: [] }, head(8))).toBe(422)
})
