import { z } from 'zod'
import { digestOf } from '../core/canonical-json.ts'
import { contractSets } from '../core/contract-sets.ts'
import { runUsages } from '../core/usage.ts'
import { Drafts } from '../rails/drafts/draft.ts'
import { Digest } from '../rails/input/fields.ts'
import { gapKinds, railKeys, tiers, type Work } from '../rails/rail.ts'
import { CitationShape } from '../rails/work/notes.ts'
import { type LoopStep, loopSteps, type StepVerdict } from '../tasks/controlled-loop.ts'

/** `typ` of a completion signature; the receipt ring signs it. */
export const COMPLETION_TYP = 'completion+jwt'

const Note = z.strictObject({
  code: z.string(),
  detail: z.string(),
  citations: z.array(CitationShape),
})
const ReceiptId = z.string().regex(/^rc_[0-9a-f]{64}$/)

/** What a run's completion signature stands for; its digest is the proof hash. */
export const RunProof = z.strictObject({
  return_package_id: z.string().regex(/^rp_[0-9a-f]{64}$/),
  run_id: z.string().regex(/^run_[0-9a-f]{64}$/),
  rail: z.enum(railKeys),
  tier: z.enum(tiers),
  usage: z.enum(runUsages),
  partial: z.boolean().meta({ description: 'Gaps were waived: the result is of what there was.' }),
  input_sha256: Digest,
  loop_sha256: Digest.meta({
    description: 'Digest of the steps of the loop, each with its verdict and output digest.',
  }),
  result_sha256: Digest.meta({
    description: 'SHA-256 of result.json, which is canonical JSON (RFC 8785).',
  }),
  manifest_sha256: Digest.meta({
    description: 'SHA-256 of manifest.json: the canonical JSON of `files`.',
  }),
  report_version: z.int().min(1).exactOptional().meta({
    description:
      'By which rules report.html, README.md and tables/*.csv were made; without it, the package has none of them.',
  }),
  drafts_sha256: Digest.exactOptional().meta({
    description:
      'SHA-256 of drafts.json, what a model drafted apart from the result; without it, no model was used.',
  }),
})
export type RunProof = z.output<typeof RunProof>

/** What a result is delivered under; settlement funds credit, usage consumes it. */
export const ResultContract = z
  .strictObject({
    version: z.literal(contractSets.result_contract),
    split_version: z.literal(contractSets.result_contract_split),
    settlement_receipt_id: ReceiptId.nullable(),
    usage_receipt_id: ReceiptId.nullable(),
  })
  .meta({ id: 'ResultContract' })
export type ResultContract = z.output<typeof ResultContract>

export const PackageFile = z.strictObject({
  name: z.string(),
  sha256: Digest,
  bytes: z.int().min(0),
})
export type PackageFile = z.output<typeof PackageFile>

const Missing = Note.extend({
  kind: z.enum(gapKinds),
  pointer: z.string().meta({ description: 'RFC 6901; where in the input it is filled.' }),
  filled_by: z.string(),
})
const work = {
  result: z.unknown(),
  findings: z.array(Note),
  gaps: z.array(Missing),
  drafts: Drafts.exactOptional(),
}
/** The work that a package is of, and what a model drafted of it. */
export const PackagedWork = z.object(work)
export type PackagedWork = Work<unknown> & { drafts?: Drafts }

/** A return package as JSON: what the zip holds, and the receipts that came after it was made. */
export const ReturnPackage = z
  .strictObject({
    ...RunProof.shape,
    ...work,
    files: z.array(PackageFile),
    proof_hash: Digest,
    completion_signature: z.string(),
    result_contract: ResultContract,
  })
  .meta({ id: 'ReturnPackage' })
export type ReturnPackage = z.output<typeof ReturnPackage>

/** A package as it is made, once; the completion signature and later receipts are kept next to it. */
export type MadePackage = Omit<ReturnPackage, 'completion_signature' | 'result_contract'>

/** How one step of a run's loop ended; `output_sha256` is null only while a review is open. */
export type LoopRecord = {
  attempt: number
  round: number
  step: LoopStep
  verdict: StepVerdict | null
  output_sha256: string | null
}

export const returnPackageId = (runId: string): string =>
  `rp_${digestOf({ type: 'service.return-package.v2', run_id: runId })}`

/** The digest of what led to a result: every ended step before the package itself, in the order in which they ended. */
export function loopDigest(steps: readonly LoopRecord[]): string {
  const led = loopSteps.slice(0, loopSteps.indexOf('return_package'))
  const ended = steps.filter(({ step, verdict }) => verdict !== null && led.includes(step))
  return digestOf(
    ended.map(({ attempt, round, step, verdict, output_sha256 }) => ({
      attempt,
      round,
      step,
      verdict,
      output_sha256,
    })),
  )
}

/** The name of the file that holds the completion signature. */
export const SIGNATURE_FILE = 'completion.jws'

/** What is signed of a package: all but what its files hold. */
export function signedFacts({
  result: _result,
  findings: _findings,
  gaps: _gaps,
  drafts: _drafts,
  files: _files,
  ...signed
}: MadePackage) {
  return signed
}

/** The claims of the completion signature; `iat` in Unix seconds. */
export function completionClaims(
  made: MadePackage,
  { issuer, environment, iat }: { issuer: string; environment: string; iat: number },
): Record<string, unknown> {
  const signed = signedFacts(made)
  return { iss: issuer, iat, sub: made.run_id, kind: 'completion', environment, ...signed }
}
