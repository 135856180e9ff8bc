import { z } from 'zod'
import { digestOf } from '../core/canonical-json.ts'
import { jsonOf } from '../core/strict-json.ts'
import {
  type Drafts,
  draftNotice,
  type ModelOutput,
  type PlannedDraft,
} from '../rails/drafts/draft.ts'
import type { Rail, Work } from '../rails/rail.ts'
import { type Prompt, promptOf } from './prompt.ts'
import {
  checkSentence,
  type SentenceFault,
  sentenceFaults,
  type WrittenSentence,
} from './sentence.ts'

/** An input with the texts of its files in place, and its finished work as its tier delivers it. */
export type Drafted = { rail: Pick<Rail, 'drafts'>; input: unknown; work: Work<unknown> }

const planOf = ({ rail, input, work }: Drafted): PlannedDraft[] => rail.drafts?.(input, work) ?? []

/** What a model is asked about finished work; nothing where there is nothing to draft. */
export const promptsOf = (drafted: Drafted): Prompt[] => planOf(drafted).map(promptOf)

/**
 * The drafts of finished work from stored outputs; null where there is nothing to draft. The same input, work and outputs give
 * the same drafts, so that a replay checks them without a call.
 */
export function draftsOf(drafted: Drafted, outputs: readonly ModelOutput[]): Drafts | null {
  const planned = planOf(drafted)
  if (planned.length === 0) return null
  const byPrompt = new Map(outputs.map((output) => [output.prompt_sha256, output]))
  const made = planned.map((one) => draftOf(one, byPrompt))
  return {
    notice: draftNotice,
    drafts: made.flatMap(({ about, sentences }) =>
      sentences.length === 0 ? [] : [{ about, sentences }],
    ),
    findings: made.flatMap(({ findings }) => findings),
    calls: made.map(({ call }) => call),
  }
}

type Made = Drafts['drafts'][number] & {
  findings: Drafts['findings']
  call: Drafts['calls'][number]
}

function draftOf(planned: PlannedDraft, outputs: ReadonlyMap<string, ModelOutput>): Made {
  const { about, pointer } = planned
  const prompt_sha256 = promptOf(planned).sha256
  const output = outputs.get(prompt_sha256)
  const call = { about, prompt_sha256, ...endOf(output) }
  const note = (code: string, detail: string) => ({
    code,
    detail: `${about}: ${detail}`,
    citations: [{ pointer }],
  })
  const written = output?.text == null ? undefined : writtenIn(output.text)
  if (call.outcome !== 'answered')
    return { about, sentences: [], findings: [note('model_not_used', why[call.outcome])], call }
  if (written === undefined)
    return { about, sentences: [], findings: [note('model_output_unreadable', malformed)], call }
  const checked = written.map((one) =>
    one === undefined ? { fault: 'malformed' as const } : checkSentence(one, planned),
  )
  const sentences = checked.flatMap((one) => ('fault' in one ? [] : [one]))
  const dropped = checked.flatMap((one) => ('fault' in one ? [one.fault] : []))
  const findings = dropped.map((fault: SentenceFault) =>
    note('sentence_dropped', sentenceFaults[fault]),
  )
  return { about, sentences, findings, call }
}

const malformed = 'the model answered with something else than the JSON that was asked for'
const why: Record<Exclude<Drafts['calls'][number]['outcome'], 'answered'>, string> = {
  budget_exhausted: 'the budget of the run or of the day does not allow the call',
  rate_limited: 'the endpoint of the model answered 429',
  refused: 'the endpoint of the model refused the call',
  timeout: 'the endpoint of the model did not answer in time',
  unreachable: 'the endpoint of the model could not be reached',
  unreadable: 'the endpoint of the model answered with something that is no completion',
  interrupted: 'the call was interrupted twice',
  not_configured: 'no model is configured',
  not_called: 'the model was not called',
}

function endOf(
  output: ModelOutput | undefined,
): Pick<Drafts['calls'][number], 'output_sha256' | 'model' | 'outcome' | 'tokens'> {
  if (output === undefined)
    return { output_sha256: null, model: null, outcome: 'not_called', tokens: null }
  const { model, outcome, tokens } = output
  return { output_sha256: digestOf(output), model, outcome, tokens }
}

const SENTENCES_MAX = 8
const Written = z.object({
  text: z.string().min(1).max(500),
  citations: z.array(z.object({ passage: z.string().max(16), quote: z.string().max(1000) })).max(4),
})

/** The sentences in the text of a model, each undefined where its form is wrong; undefined for another text. */
function writtenIn(text: string): (WrittenSentence | undefined)[] | undefined {
  const [, fenced = text] = /^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(text) ?? []
  const answer = z.object({ sentences: z.array(z.unknown()) }).safeParse(jsonOf(fenced)).data
  return answer?.sentences.slice(0, SENTENCES_MAX).map((one) => Written.safeParse(one).data)
}
