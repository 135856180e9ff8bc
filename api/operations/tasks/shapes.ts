import { z } from 'zod'
import { recordKinds } from '#domain/core/record-kinds.ts'
import { runUsages } from '#domain/core/usage.ts'
import { tiers } from '#domain/rails/rail.ts'
import { RunContract } from '#domain/runs/run-contract.ts'
import { taskEvents, taskStates } from '#domain/tasks/lifecycle.ts'
import { Digest, Time } from '../../fields.ts'
import { AgentId, Rail } from '../agents/shapes.ts'
import { TierTerms } from '../payments/tier-shape.ts'
import { waitShape } from './wait-shapes.ts'

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
