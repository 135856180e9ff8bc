import fc from 'fast-check'
import { expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { handoffStatuses, isTooLarge, statusesAfter } from '#domain/trust/handoff-pack.ts'
import { emptyInbox, type Inbox, proofId, withProof } from '#domain/trust/inbox.ts'
import { verifies } from '../../../verifies.ts'

verifies('trust.inbox.store', 'a proof is named by the digest of its canonical JSON', () => {
  const canonical = '{"content":"c","kind":"evidence","label":"l","wallet":"0xaa"}'
  const proof = { kind: 'evidence' as const, content: 'c', label: 'l' }
  expect(proofId('0xaa', proof)).toBe(sha256Hex(canonical))
})

verifies('trust.inbox.limits', 'no order of proofs goes over a limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 96_000 }), { maxLength: 300 }), (sizes) => {
      let inbox: Inbox = emptyInbox
      for (const [at, bytes] of sizes.entries()) {
        const next = withProof(inbox, { proofId: String(at), bytes })
        if ('exceeds' in next) {
          const isFull = inbox.records === 256 || inbox.bytes + bytes > 4_194_304
          expect(isFull).toBe(true)
          continue
        }
        expect(next.head).not.toBe(inbox.head)
        inbox = next
      }
      expect(inbox.records).toBeLessThanOrEqual(256)
      expect(inbox.bytes).toBeLessThanOrEqual(4_194_304)
    }),
    { numRuns: 50 },
  )
})

verifies('trust.pack.series', 'only the documented statuses follow each other', () => {
  const moves = handoffStatuses.flatMap((from) =>
    statusesAfter(from)
      .filter((to) => to !== from)
      .map((to) => `${from} ${to}`),
  )
  expect(moves).toEqual([
    'pending in_progress',
    'in_progress blocked',
    'in_progress completed',
    'blocked in_progress',
  ])
  expect(statusesAfter('completed')).toEqual([])
})

verifies('trust.pack.build', '12000 bytes of canonical JSON fit and one more does not', () => {
  // {"a":"…"} has eight bytes more than its text, in which each ä has two.
  expect(isTooLarge({ a: 'ä'.repeat(5_996) })).toBe(false)
  expect(isTooLarge({ a: `${'ä'.repeat(5_996)}x` })).toBe(true)
})
