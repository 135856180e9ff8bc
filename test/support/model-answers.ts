import { canonicalJson } from '#domain/core/canonical-json.ts'
import { promptOf } from '#domain/drafts/prompt.ts'
import type { WrittenSentence } from '#domain/drafts/sentence.ts'
import type { ModelOutput, PlannedDraft } from '#domain/rails/drafts/draft.ts'

/** A stored output in which a model wrote this. */
export const answered = (planned: PlannedDraft, text: string): ModelOutput => ({
  type: 'service.model-output.v1',
  prompt_sha256: promptOf(planned).sha256,
  model: 'test-model',
  outcome: 'answered',
  text,
  tokens: 100,
})

export const sentencesText = (...sentences: readonly WrittenSentence[]): string =>
  canonicalJson({ sentences })

/** What an honest model writes: a passage word by word. */
export const quoting = ({ name, text }: PlannedDraft['passages'][number]): WrittenSentence => ({
  text,
  citations: [{ passage: name, quote: text }],
})
