import { z } from 'zod'
import { digestOf } from '../core/canonical-json.ts'
import { CODE_VERSION } from '../core/code-version.ts'
import { Digest } from '../rails/input/fields.ts'
import { railKeys } from '../rails/rail.ts'
import { KeySet } from '../receipts/key-set.ts'
import { loopSteps } from '../tasks/controlled-loop.ts'
import { taskEvents, taskStates } from '../tasks/lifecycle.ts'
import { RunProof } from './return-package.ts'

const Entry = z
  .strictObject({
    sequence: z.int().min(1),
    event: z.enum(taskEvents),
    from_state: z.enum([...taskStates, 'none']),
    to_state: z.enum(taskStates),
    at: z.iso.datetime(),
    actor: z.string(),
    data_sha256: Digest,
    prev_hash: Digest,
    hash: Digest,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What `data_sha256` is the digest of: ids and digests.' }),
  })
  .meta({ id: 'LedgerEntryWithData' })

const Step = z.strictObject({
  attempt: z.int().min(0),
  round: z.int().min(0),
  step: z.enum(loopSteps),
  verdict: z.enum(['done', 'refused', 'too_complex', 'gaps', 'revise', 'reject']).nullable(),
  output_sha256: Digest.nullable(),
})

const Document = z.strictObject({ sha256: Digest, content: z.unknown() })

/**
 * A task with everything that proves it, for a reader who has nothing else. `inputs` are
 * the digests of the run's inputs, the latest last; `documents` the contents of what the ledger names by digest.
 */
export const ReplayPackage = z
  .strictObject({
    replay_id: z.string().regex(/^rpl_[0-9a-f]{64}$/),
    issuer: z.string(),
    code_version: z.string(),
    task_id: z.string().regex(/^task-[0-9a-f]{64}$/),
    rail: z.enum(railKeys),
    exception_id: z.string().nullable(),
    resume_state: z.enum(taskStates).nullable(),
    from_step: z
      .enum(loopSteps)
      .nullable()
      .meta({ description: 'The step at which the run’s loop continues; null: none.' }),
    ledger: z.array(Entry).min(1),
    loop_steps: z.array(Step),
    receipts: z
      .array(z.string())
      .meta({ description: 'Compact JWS; those of one subject in their order.' }),
    inputs: z.array(Digest),
    documents: z.array(Document),
    return_package: RunProof.extend({
      proof_hash: Digest,
      completion_signature: z.string(),
    }).nullable(),
    keys: KeySet,
    package_sha256: Digest,
  })
  .meta({ id: 'ReplayPackage' })
export type ReplayPackage = z.output<typeof ReplayPackage>

/** What is handed out and what `agent-rails replay` reads; `jws` signs the package by its digest. */
export const ReplayFile = z.strictObject({
  replay_package: ReplayPackage,
  jws: z.string(),
  verify_instructions: z.string(),
})
export type ReplayFile = z.output<typeof ReplayFile>

type Parts = Omit<ReplayPackage, 'replay_id' | 'code_version' | 'inputs' | 'package_sha256'>

/** The package of a task as its ledger stands; the same parts always make the same. */
export function buildReplayPackage(parts: Parts): ReplayPackage {
  const head = parts.ledger.at(-1)?.hash
  const replay_id = `rpl_${digestOf({ type: 'service.replay-package.v1', task_id: parts.task_id, head })}`
  const inputs = parts.ledger.flatMap(({ data: { input_sha256 } }) =>
    typeof input_sha256 === 'string' ? [input_sha256] : [],
  )
  const body = { ...parts, replay_id, code_version: CODE_VERSION, inputs }
  return { ...body, package_sha256: digestOf(body) }
}

/** The claims that sign a package: issued at its last entry, so that the same package always has the same signature. */
export function replayClaims({
  replay_id,
  issuer,
  task_id,
  ledger,
  package_sha256,
}: ReplayPackage): Record<string, unknown> {
  const head = ledger.at(-1)
  const iat = Math.floor(Date.parse(head?.at ?? '') / 1000)
  const facts = { replay_id, ledger_head: head?.hash, package_sha256 }
  return { iss: issuer, iat, sub: task_id, kind: 'replay_package', ...facts }
}

export const verifyInstructions =
  'Save this answer as FILE, and the key set of the issuer (/.well-known/jwks.json) as KEYS while you trust it; then run: npx agent-rails replay FILE --keys KEYS'
