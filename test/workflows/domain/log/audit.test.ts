import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type Evidence,
  judgeLog,
  type SeenReceipt,
  type SeenRoot,
  startLeafPass,
} from '#domain/log/audit.ts'
import { leafHash } from '#domain/log/merkle.ts'
import { rootOf } from '../../../support/memory-log.ts'
import { verifies } from '../../../verifies.ts'

const START = 1_800_000_000
/** Receipt n is issued at second n, and the log gives it its index within a minute. */
const issuedAt = (index: number) => START + index
const root = (size: number) => bytesToHex(rootOf(Array(size).fill(Uint8Array.of(1))))
const seen = (size: number, changes: Partial<SeenRoot> = {}): SeenRoot => ({
  size,
  root: root(size),
  from: 'a witness',
  // Receipts before this size came at most 60 s before.
  cosignedAt: issuedAt(size) + 60,
  ...changes,
})
const receipt = (index: number, changes: Partial<SeenReceipt> = {}): SeenReceipt => ({
  receiptId: `rc_${index}`,
  issuedAt: issuedAt(index),
  keptIndex: null,
  index,
  ...changes,
})
/** An honest log of so many leaves, of which someone kept some checkpoints and receipts. */
const honest = fc
  .record({
    size: fc.integer({ min: 1, max: 60 }),
    kept: fc.array(fc.nat(60), { maxLength: 10 }),
    receipts: fc.array(fc.record({ at: fc.nat(59), proof: fc.boolean() }), { maxLength: 10 }),
    late: fc.integer({ min: 0, max: 1_000 }),
  })
  .map(
    ({ size, kept, receipts, late }): Evidence => ({
      askedAt: issuedAt(size) + late,
      size,
      roots: [...kept.filter((one) => one <= size), size].map((one) =>
        seen(one, one % 3 === 0 ? { cosignedAt: null, from: 'a file' } : {}),
      ),
      receipts: receipts
        .filter(({ at }) => at < size)
        .map(({ at, proof }) => receipt(at, proof ? { keptIndex: at } : {})),
    }),
  )
const found = (evidence: Evidence) => judgeLog(evidence).map(({ deception }) => deception)

verifies('log.audit.honest', 'nothing is found in an honest log', () => {
  fc.assert(
    fc.property(honest, (evidence) => {
      expect(judgeLog(evidence)).toEqual([])
    }),
  )
  const waiting = { ...receipt(9), index: null, issuedAt: START }
  expect(judgeLog({ askedAt: START + 60, size: 0, roots: [], receipts: [waiting] })).toEqual([])
})

verifies('log.audit.deceptions', 'two roots for one size are a split view', () => {
  fc.assert(
    fc.property(honest, fc.nat(60), (evidence, at) => {
      const other = seen(at % (evidence.size + 1), { root: 'ff'.repeat(32) })
      const roots = [...evidence.roots, seen(other.size), other]
      expect(found({ ...evidence, roots })).toEqual(['split_view'])
    }),
  )
})

verifies('log.audit.deceptions', 'a log that shows less than it signed is a split view', () => {
  fc.assert(
    fc.property(honest, fc.integer({ min: 1, max: 40 }), (evidence, more) => {
      const larger = seen(evidence.size + more, { cosignedAt: null })
      expect(found({ ...evidence, roots: [...evidence.roots, larger] })).toEqual(['split_view'])
      const justNow = { ...larger, cosignedAt: evidence.askedAt - 60 }
      expect(found({ ...evidence, roots: [...evidence.roots, justNow] })).toEqual([])
    }),
  )
})

verifies('log.audit.deceptions', 'a leaf is rewritten, dropped or back-dated', () => {
  const withOne = (evidence: Evidence, one: SeenReceipt) =>
    found({ ...evidence, receipts: [...evidence.receipts, one] })
  fc.assert(
    fc.property(honest, fc.nat(), fc.integer({ min: 61, max: 9_999 }), (evidence, at, age) => {
      const index = at % evidence.size
      for (const elsewhere of [null, index + 1])
        expect(withOne(evidence, receipt(index, { keptIndex: index, index: elsewhere }))).toEqual([
          'rewritten_leaf',
        ])
      const old = evidence.askedAt - age
      expect(withOne(evidence, receipt(index, { index: null, issuedAt: old }))).toEqual([
        'dropped_leaf',
      ])
      const before = seen(index)
      const late = receipt(index, { issuedAt: (before.cosignedAt ?? 0) - age })
      const roots = [...evidence.roots, before]
      expect(withOne({ ...evidence, roots }, late)).toEqual(['back_dated_leaf'])
    }),
  )
})

verifies('log.audit.deceptions', 'one pass over the leaves gives roots and places', () => {
  const sizes = fc.array(fc.nat(40), { maxLength: 5 })
  fc.assert(
    fc.property(fc.nat(40), sizes, fc.integer({ min: 1, max: 9 }), (count, wanted, chunk) => {
      const entries = Array.from({ length: count }, (_, at) => Uint8Array.of(at))
      const leaves = entries.map(leafHash)
      const pass = startLeafPass(wanted, leaves.slice(-3).map(bytesToHex))
      for (let at = 0; at < count; at += chunk) pass.add(leaves.slice(at, at + chunk))
      const reached = [...new Set(wanted)].filter((size) => size <= count)
      expect(new Map(pass.roots)).toEqual(
        new Map(reached.map((size) => [size, bytesToHex(rootOf(entries.slice(0, size)))])),
      )
      expect([...pass.places.values()]).toEqual(entries.map((_, at) => at).slice(-3))
    }),
  )
})
