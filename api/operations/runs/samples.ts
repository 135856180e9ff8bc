import { z } from 'zod'
import { railKeys, tiers } from '#domain/rails/rail.ts'
import { complianceSampleKeys } from '#domain/runs/compliance-samples.ts'
import { ReturnPackage } from '#domain/runs/return-package.ts'
import { callerIn } from '../../caller.ts'
import { IdempotencyKey } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { Rail } from '../../shapes/agents.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { sampled } from '../../shapes/receipts.ts'
import { Criterion, Run, RunId, runRead } from '../../shapes/runs.ts'
import { ContractId, Task, TaskToken } from '../../shapes/tasks.ts'
import { VerificationPacket } from '../receipts.ts'

const SamplePackage = z
  .strictObject({ ...sampled, return_package: ReturnPackage })
  .meta({ id: 'SampleReturnPackage' })

/** GET /api/sample-return-packages: what each rail makes of its published input, as a package that verifies. */
export const sampleReturnPackages = operation({
  id: 'sample-return-packages',
  summary: 'Read the return package of each rail for its published input, marked as a sample.',
  http: { method: 'GET', path: '/api/sample-return-packages', host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  input: z.strictObject({
    rail: z.enum(railKeys).optional(),
    tier: z.enum(tiers).default('standard'),
    ...pageFields(2),
  }),
  output: z
    .strictObject({
      items: z.array(SamplePackage),
      ...pageAnswer,
    })
    .meta({ id: 'SampleReturnPackages' }),
  handle: async ({ rail, tier, ...page }, { samplePackages }) => ({
    body: await samplePackages.page({ rail, tier }, pageOf(page)),
  }),
})

const path = '/api/compliance-evidence-samples'

const ComplianceSamples = z
  .strictObject({
    samples: z.array(
      z.strictObject({
        key: z.enum(complianceSampleKeys),
        rail: Rail,
        section_count: z.int().min(1).meta({
          description: 'The sections of a packet, or the questions of a questionnaire.',
        }),
        url: z.url(),
      }),
    ),
  })
  .meta({ id: 'ComplianceSamples' })

/** GET /api/compliance-evidence-samples: three kinds of evidence, each with its input, package and proof. */
export const complianceSamplesRead = operation({
  id: 'compliance-samples-read',
  summary: 'List samples of compliance evidence, or read one with its input, package and proof.',
  http: { method: 'GET', path, host: 'base' },
  access: 'public',
  errors: ['unavailable'],
  input: z.strictObject({
    sample: z
      .enum(complianceSampleKeys)
      .optional()
      .meta({ description: 'Without it, the samples are listed.' }),
  }),
  output: z.union([
    ComplianceSamples,
    SamplePackage.extend({
      input: z.unknown(),
      verification_packet: VerificationPacket.meta({ description: 'Of the receipt.' }),
    }).meta({ id: 'ComplianceSample' }),
  ]),
  handle: async ({ sample }, { receipts, samplePackages }) => {
    if (sample === undefined) return { body: { samples: samplePackages.listCompliance(path) } }
    const made = await samplePackages.ofCompliance(sample)
    const verification_packet = await receipts.verify({ receipt: made.receipt.jws })
    return { body: { ...made, verification_packet } }
  },
})

const contract = contractSchema('Tasks by state.', { sequence: z.array(z.string()) }).meta({
  id: 'SelfServeLoopContract',
})

const followed = z
  .strictObject({
    run: Run,
    completion: z.strictObject({
      criteria: z.array(Criterion),
    }),
  })
  .meta({ id: 'SelfServeRun' })

const sequence = [
  'POST {base_url}/api/agents/register: submit_manifest; the answer has the trust state and the status URL',
  'POST {base_url}/api/agents/quote: request_quote',
  'POST {os_url}/api/agents/preflight: what is to be run, on which inputs by their digests',
  'POST {os_url}/api/agents/contracts, then …/contracts/{contract_id}: the registered key accepts the digest of the terms',
  'PUT {base_url}/api/agent-inputs/{sha256}: lists that are too long for a body',
  'POST {base_url}/api/agent-self-serve-rail-loop: submit_agent_run',
  'GET {base_url}/api/agent-self-serve-rail-loop?run_id=…: the verdict on each criterion',
]

/** GET /api/agent-self-serve-rail-loop: how an agent gets a run without help; with a run id, its progress. */
export const selfServeLoopRead = operation({
  id: 'self-serve-loop-read',
  summary:
    'Read how a run is submitted without help, or how far a run of your own meets what was agreed.',
  http: { method: 'GET', path: '/api/agent-self-serve-rail-loop', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([followed, contract]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) return { body: { ...(await context.contracts.loop()), sequence } }
    return { body: await context.runs.completion(callerIn(context).runReader, run_id) }
  },
})

/** POST /api/agent-self-serve-rail-loop, the step `submit_agent_run`: the input of a run that was agreed on. */
export const selfServeLoopSubmit = operation({
  id: 'self-serve-loop-submit',
  summary:
    'Submit the input of an agreed run; the work begins by itself once credit, input and review are there.',
  http: { method: 'POST', path: '/api/agent-self-serve-rail-loop', host: 'base' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'] },
  statusToken: { prefixes: ['st', 'tk'], signed: true },
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: ['not_found', 'not_owner', 'wrong_state', 'evidence_mismatch', 'forbidden_material'],
  uses: () => ({ workflows: 1 }),
  input: z.strictObject({
    task_token: TaskToken,
    contract_id: ContractId,
    input: z.record(z.string(), z.unknown()).meta({
      'x-free-text': true,
      description: 'As the rail takes it; a list that was uploaded is named as {"sha256": "…"}.',
    }),
    idempotency_key: IdempotencyKey,
  }),
  output: z
    .strictObject({ run: Run, waiting_for: Task.shape.waiting_for })
    .meta({ id: 'SubmittedRun' }),
  handle: async ({ idempotency_key: _key, ...submission }, context) => {
    const run = await context.runs.submit(callerIn(context).taskActor, submission)
    return { status: 202, body: { run, waiting_for: run.waiting_for } }
  },
})
