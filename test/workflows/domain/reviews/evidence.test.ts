import fc from 'fast-check'
import { expect } from 'vitest'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import {
  type EvidenceContent,
  type EvidenceName,
  evidenceManifest,
  evidenceNames,
  hasSeen,
  judgeAll,
  judgementFault,
} from '#domain/reviews/evidence.ts'
import { verifies } from '../../../verifies.ts'

const subject = {
  subject_kind: 'loop_step',
  subject_id: 'run_1',
  waiting_since: '2026-11-24T08:00:00.000Z',
} as const
const anyContent = fc.dictionary(
  fc.constantFrom(...evidenceNames),
  fc.oneof(fc.jsonValue(), fc.constant(undefined)),
) as fc.Arbitrary<EvidenceContent>

verifies('review.evidence', 'a manifest has the digest and size of each part in order', () => {
  const { parts, root_sha256 } = evidenceManifest(subject, {
    history: { state: 'operating' },
    input: { text: 'ä' },
    result: null,
    plan: undefined,
  })
  expect(parts).toEqual([
    { name: 'input', sha256: digestOf({ text: 'ä' }), bytes: 13 },
    { name: 'history', sha256: digestOf({ state: 'operating' }), bytes: 21 },
  ])
  expect(root_sha256).toBe(digestOf({ ...subject, parts }))
})

verifies('review.evidence', 'the root is that of the parts as a reader recomputes it', () => {
  fc.assert(
    fc.property(anyContent, (content) => {
      const { root_sha256, ...manifest } = evidenceManifest(subject, content)
      for (const { name, sha256 } of manifest.parts)
        expect(sha256).toBe(sha256Hex(canonicalJson(content[name as EvidenceName])))
      expect(root_sha256).toBe(digestOf(manifest))
    }),
  )
})

verifies('review.uploads', 'uploaded lists come after the documents, by their own digest', () => {
  const list = { name: 'input.usage', sha256: sha256Hex('a,b'), bytes: 3 }
  const content = { input: { usage: { sha256: list.sha256 } } }
  const { parts, root_sha256, ...named } = evidenceManifest(subject, content, [list])
  expect(parts.at(-1)).toEqual(list)
  expect(root_sha256).toBe(digestOf({ ...named, parts }))
  const changed = [{ ...list, sha256: sha256Hex('a,c') }]
  expect(evidenceManifest(subject, content, changed).root_sha256).not.toBe(root_sha256)
})

verifies('review.evidence', 'any change of the subject or of a part changes the root', () => {
  const rootOf = (content: EvidenceContent, more = {}) =>
    evidenceManifest({ ...subject, ...more }, content).root_sha256
  fc.assert(
    fc.property(anyContent, fc.constantFrom(...evidenceNames), (content, name: EvidenceName) => {
      const root = rootOf(content)
      expect(rootOf({ ...content, [name]: { before: content[name] ?? null } })).not.toBe(root)
      expect(rootOf(content, { subject_id: 'run_2' })).not.toBe(root)
      expect(rootOf(content, { waiting_since: '2026-11-24T08:00:00.001Z' })).not.toBe(root)
    }),
  )
})

verifies('review.evidence', 'only the root, with or without its parts, counts as seen', () => {
  const manifest = evidenceManifest(subject, { input: [1], result: [2] })
  const [input, result] = manifest.parts.map(({ sha256 }) => sha256) as [string, string]
  const root = manifest.root_sha256
  expect(hasSeen(manifest, [root])).toBe(true)
  expect(hasSeen(manifest, [input, root, result])).toBe(true)
  expect(hasSeen(manifest, [])).toBe(false)
  expect(hasSeen(manifest, [input, result])).toBe(false)
  expect(hasSeen(manifest, [root, digestOf([3])])).toBe(false)
})

verifies('review.judged', 'a criterion that was not judged is never met', () => {
  const met = { criterion: 'b', verdict: 'met', note: 'checked' } as const
  expect(judgeAll(['a', 'b'], [met])).toEqual([
    { criterion: 'a', verdict: 'not_judged', note: '' },
    met,
  ])
  expect(judgeAll([], [])).toEqual([])
})

verifies('review.judged', 'a judgement names one criterion, once', () => {
  const of = (criterion: string) => ({ criterion, verdict: 'not_met', note: '' }) as const
  expect(judgementFault(['a', 'b'], [of('b'), of('a')])).toBeUndefined()
  expect(judgementFault(['a'], [of('c')])).toBe('“c” is no acceptance criterion of this subject')
  expect(judgementFault(['a'], [of('a'), of('a')])).toBe('“a” is judged twice')
})
