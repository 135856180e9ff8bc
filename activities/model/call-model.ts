import type { Logger } from 'pino'
import type { Prompt } from '#domain/drafts/prompt.ts'
import type { ModelOutcome, ModelOutput } from '#domain/rails/drafts/draft.ts'
import {
  type ModelBudget,
  type Reservation,
  reserveTokens,
  settleTokens,
} from '../store/model/budget.ts'
import { beginModelCall, endModelCall } from '../store/model/model-calls.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { type Asked, askModel, type ModelEndpoint } from './endpoint.ts'

export type ModelDeps = {
  readonly db: Tx
  readonly log: Logger
  /** Undefined: no model is configured. */
  readonly endpoint: ModelEndpoint | undefined
  readonly budget: ModelBudget
}

/**
 * Asks the model what a subject stored, once: the tokens are reserved before the call, and its end is stored before it is used.
 * A stored end is returned without a call. A process that dies in between leaves its reservation counted, and one more attempt.
 */
export async function callModel(
  deps: ModelDeps,
  subject: string,
  promptSha256: string,
): Promise<ModelOutput> {
  const { db, endpoint } = deps
  const named = { prompt_sha256: promptSha256, model: endpoint?.name ?? '' }
  const without = (outcome: ModelOutcome) =>
    transaction(db, (tx) => endModelCall(tx, subject, outputOf(named, none(outcome))))
  const begun = await begin(deps, subject, promptSha256)
  if ('output' in begun) return begun.output
  if ('refused' in begun) return without(begun.refused)
  const { prompt, reserved } = begun
  if (endpoint === undefined) return without('not_configured')
  const asked = await askModel(endpoint, prompt)
  deps.log.info(
    { subject, promptSha256, outcome: asked.outcome, tokens: asked.tokens },
    'a model was called',
  )
  return transaction(db, async (tx) => {
    if (asked.used !== null) await settleTokens(tx, reserved, asked.used)
    return endModelCall(tx, subject, outputOf(named, asked))
  })
}

type Begun =
  | { output: ModelOutput }
  | { refused: ModelOutcome }
  | { prompt: Prompt; reserved: Reservation }

/** Counts an attempt and reserves its tokens in one transaction, so that a refusal counts nothing. */
async function begin(
  { db, endpoint, budget }: ModelDeps,
  subject: string,
  promptSha256: string,
): Promise<Begun> {
  try {
    return await transaction(db, async (tx) => {
      const call = await beginModelCall(tx, subject, promptSha256)
      if (call === 'no_attempt_left') return { refused: 'interrupted' }
      if ('output' in call) return call
      if (endpoint === undefined) return { refused: 'not_configured' }
      const tokens = tokensAtMost(call.prompt)
      const reserved = await reserveTokens(tx, { subject, tokens }, budget)
      if (reserved === null) throw new OverBudget()
      return { prompt: call.prompt, reserved }
    })
  } catch (error) {
    if (error instanceof OverBudget) return { refused: 'budget_exhausted' }
    throw error
  }
}

class OverBudget extends Error {
  override readonly name = 'OverBudget'
}

/** A token is at least one byte of text; each message has a few tokens of its own. */
const MESSAGE_TOKENS = 16

/** The most tokens that a call may use. */
export function tokensAtMost({ messages, answerTokensMax }: Prompt): number {
  const bytes = messages.map(({ content }) => Buffer.byteLength(content) + MESSAGE_TOKENS)
  return bytes.reduce((sum, one) => sum + one, answerTokensMax)
}

const none = (outcome: ModelOutcome): Omit<Asked, 'used'> => ({ outcome, text: null, tokens: null })

const outputOf = (
  named: Pick<ModelOutput, 'prompt_sha256' | 'model'>,
  { outcome, text, tokens }: Omit<Asked, 'used'>,
): ModelOutput => ({ type: 'service.model-output.v1', ...named, outcome, text, tokens })
