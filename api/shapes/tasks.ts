import { z } from 'zod'
import { recordKinds } from '#domain/core/record-kinds.ts'
import { runUsages } from '#domain/core/usage.ts'
import { gapKinds, tiers } from '#domain/rails/rail.ts'
import { waitKinds } from '#domain/reviews/wait.ts'
import { RunContract } from '#domain/runs/run-contract.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { taskEvents, taskStates } from '#domain/tasks/lifecycle.ts'
import { Digest, Time } from '../fields.ts'
import { AgentId, Rail } from './agents.ts'
import { TierTerms } from './payments.ts'

const Gap = z
  .strictObject({
    code: z.string(),
    kind: z.enum(gapKinds).meta({ description: 'needed: the run stops for it.' }),
    detail: z.string().meta({ description: 'Why it is one.' }),
    filled_by: z.string().meta({ description: 'What would fill it.' }),
    pointers: z.array(z.string()).meta({
      description: 'RFC 6901 pointers into the input; the first says where it is filled.',
    }),
  })
  .meta({ id: 'Gap', description: 'What the input lacks, and where.' })

const RequiredAction = z
  .strictObject({
    by: z.enum(['agent', 'operator']),
    call: z.string().nullable().meta({ description: 'Method and path.' }),
    arguments: z
      .record(z.string(), z.unknown())
      .meta({ description: '<…> marks what the caller fills in.' }),
    choices: z
      .array(z.string())
      .meta({ description: 'Other values of action or decision that are allowed.' }),
    command: z.string().nullable().meta({ description: 'What an operator can type instead.' }),
  })
  .meta({ id: 'RequiredAction', description: 'The call that ends the wait, with its arguments.' })

/** Why a task, run or payout waits; every view shows the same reason. */
export const waitShape = {
  waiting_for: z.array(z.enum(waitKinds)),
  waiting_since: Time.nullable(),
  gaps: z.array(Gap).meta({
    description:
      'The first 25 that the run found, needed ones before others, also while it waits for nothing.',
  }),
  required_action: RequiredAction.nullable().meta({ description: 'Null where no one has to act.' }),
  next_action: z.string(),
}

export const TaskId = z.string().regex(/^task-[0-9a-f]{64}$/)
export const TaskToken = z.string().regex(/^tk_[A-Za-z0-9_-]{43}$/)
export const ContractId = z.string().regex(/^ct_[0-9a-f]{64}$/)
export const TaskState = z.enum(taskStates)
export const Tier = z.enum(tiers)
export const TaskUsage = z.enum(runUsages)
/** The preflight judges where it leads; the demo receiver of a local stack speaks plain HTTP. */
export const CallbackUrl = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[!-~]+$/)
  .meta({ 'x-free-text': true })
export const OnGaps = z.enum(['ask', 'report']).default('ask').meta({
  description:
    'ask: a run whose input has gaps waits for evidence; report: it lists them in its result.',
})

/** A task as its agent and operators see it. */
export const Task = z
  .strictObject({
    task_id: TaskId,
    state: TaskState,
    resume_state: TaskState.nullable().meta({
      description: 'Where an interrupted task comes back to.',
    }),
    rail: Rail,
    tier: Tier,
    usage: TaskUsage,
    agent_id: AgentId.nullable(),
    run_id: z.string().nullable(),
    contract_id: z.string().nullable(),
    quote_id: z.string().nullable(),
    entitlement_id: z.string().nullable(),
    updated_at: Time,
    ...waitShape,
  })
  .meta({ id: 'Task' })

/** One transition of a task, chained to the one before it. */
/** A runtime record by its kind and its id. */
export const RuntimeRecord = z.strictObject({
  record_kind: z.enum(recordKinds),
  record_id: z.string(),
  recorded_at: Time,
})

export const LedgerEntry = z
  .strictObject({
    sequence: z.int().min(1),
    event: z.enum(taskEvents),
    from_state: z.enum(['none', ...taskStates]),
    to_state: TaskState,
    at: Time,
    actor: z.string(),
    data_sha256: Digest,
    prev_hash: Digest,
    hash: Digest.meta({
      description: 'SHA-256 of the canonical JSON of the entry without this member.',
    }),
  })
  .meta({ id: 'LedgerEntry' })

/** What will be done for a task, and under which terms. */
export const Contract = z
  .strictObject({
    contract_id: ContractId,
    version: z.literal('v2'),
    task_id: TaskId,
    rail: Rail,
    tier: Tier,
    usage: TaskUsage,
    tier_terms: TierTerms,
    scope: z.array(z.string()),
    acceptance_criteria: z.array(z.string()),
    review_policy: z.enum(['sandbox_policy', 'operator_review']),
    data_policy: z.string(),
    data_declaration: z.string().meta({
      description:
        'What the agent declares of regulated and confidential data by accepting; nothing detects them.',
    }),
    payment: z.strictObject({
      quote_id: z.string().nullable(),
      entitlement_id: z.string().nullable(),
    }),
    terms_sha256: Digest.meta({
      description: 'Of the canonical JSON of the terms; what the agent accepts.',
    }),
    state: z.enum(['ready', 'accepted', 'sealed', 'void']),
    accepted_by: z.string().nullable(),
    accepted_at: Time.nullable(),
    run_contract: RunContract.nullable().meta({
      description: 'Once credit, input and review are there.',
    }),
  })
  .meta({ id: 'Contract' })

/** The checks before a task continues. */
export const Check = z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })

/** One step of a run as it was taken, once for each attempt and round. */
export const TakenStep = z
  .strictObject({
    name: z.enum(loopSteps),
    attempt: z.int().min(1).meta({ description: 'Of the run, which restarts on another input.' }),
    round: z.int().min(0).meta({ description: '0: the first pass; others are revisions.' }),
    verdict: z
      .enum(['done', 'refused', 'too_complex', 'gaps', 'revise', 'reject'])
      .nullable()
      .meta({ description: 'Null while its review is open.' }),
    started_at: Time,
    ended_at: Time.nullable(),
    tries: z.int().min(1).meta({ description: 'How often the step was begun.' }),
    decided_by: z.string().nullable(),
    output: z.unknown().meta({
      description: 'Null where it is the result of the worker, or too long to be shown.',
    }),
    output_sha256: Digest.nullable().meta({
      description: 'Of its canonical JSON, which `loop_sha256` of the package is made of.',
    }),
    output_bytes: z.int().nullable(),
  })
  .meta({ id: 'TakenStep' })
