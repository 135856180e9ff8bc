import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { Prompt } from '#domain/drafts/prompt.ts'
import type { ModelOutput } from '#domain/rails/drafts/draft.ts'
import { type ModelCaller, reserveModelCalls } from '../../../activities/store/commerce/analyses.ts'
import {
  hasModelCalls,
  insertModelCalls,
  listModelOutputs,
} from '../../../activities/store/model/model-calls.ts'
import { clockSeconds, transaction } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'

export type ModelDeps = {
  readonly db: Kysely<Database>
  /** Null: no model is configured. */
  readonly model: string | null
  readonly callsPerCaller: number
  readonly callsInAll: number
  /** Has a worker ask the model these stored prompts of a subject. */
  ask(subject: string, prompts: readonly string[]): Promise<void>
}
type AskedFor = { analysisId: string; caller: ModelCaller; prompts: readonly Prompt[] }

/** How often the model is asked for one call, when all of its answers failed. */
const ATTEMPTS_MAX = 3

/**
 * What the model answers to the prompts of an analysis; the same call reads the stored answers. Throws 429 `rate_guardrail_reached`
 * without a call where a budget is used up, and 502 `provider_failed` where nothing was answered.
 */
export async function modelAnswers(deps: ModelDeps, asked: AskedFor): Promise<ModelOutput[]> {
  const { prompts } = asked
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const subject = subjectOf(asked, attempt)
    const earlier = await outputsOf(deps, subject)
    const isOpen = earlier.length < prompts.length
    if (isOpen) {
      await begin(deps, subject, asked)
      await deps.ask(
        subject,
        prompts.map(({ sha256 }) => sha256),
      )
    }
    const outputs = isOpen ? await outputsOf(deps, subject) : earlier
    if (outputs.some(({ outcome }) => outcome === 'answered')) return outputs
    if (outputs.some(({ outcome }) => outcome === 'budget_exhausted')) throw await usedUp(deps)
    if (isOpen) break
  }
  throw refuse('provider_failed', {
    detail: 'the model has not answered',
    next_action: 'Repeat the same call after Retry-After, or send force_fallback true.',
    retry_after_ms: 5_000,
  })
}

/** The form of the id says whose budget of tokens the calls use. */
const subjectOf = ({ analysisId, caller }: AskedFor, attempt: number): string =>
  `${caller.group === 'agents' ? 'an' : 'anon'}_${digestOf({ analysisId, attempt })}`

const outputsOf = async ({ db }: ModelDeps, subject: string): Promise<ModelOutput[]> =>
  (await listModelOutputs(db, subject)).map(({ content }) => content)

/** Stores the prompts and counts their calls in one transaction; a subject is counted once. */
function begin(deps: ModelDeps, subject: string, { caller, prompts }: AskedFor): Promise<void> {
  const { db, callsPerCaller: perCaller, callsInAll: inAll } = deps
  return transaction(db, async (tx) => {
    await lockSubject(`analysis:${subject}`).run(tx)
    if (await hasModelCalls(tx, subject)) return
    const calls = prompts.length
    if (!(await reserveModelCalls(tx, caller, { calls, perCaller, inAll })))
      throw await usedUp(deps)
    await insertModelCalls(tx, subject, prompts)
  })
}

const DAY_MS = 86_400_000

async function usedUp({ db }: ModelDeps) {
  const now = (await clockSeconds(db)) * 1000
  return refuse('rate_guardrail_reached', {
    detail: 'the calls of the model for free analyses are used up for today',
    next_action: 'Send force_fallback true, or repeat the call after Retry-After.',
    retry_after_ms: Math.ceil(DAY_MS - (now % DAY_MS)),
  })
}
