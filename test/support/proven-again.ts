import { digestOf } from '#domain/core/canonical-json.ts'
import { type MadePackage, RunProof } from '#domain/runs/return-package.ts'

/** A package with other members, and with the digest of its manifest and the proof hash that these give. */
export function provenAgain(made: MadePackage, changes: Partial<MadePackage>): MadePackage {
  const { result, findings, gaps, drafts, files, ...rest } = { ...made, ...changes }
  const proof = RunProof.strip().parse({ ...rest, manifest_sha256: digestOf(files) })
  const proof_hash = digestOf({ type: 'service.run-proof.v2', ...proof })
  const drafted = drafts === undefined ? {} : { drafts }
  return { ...proof, result, findings, gaps, ...drafted, files, proof_hash }
}

/** The package of a time at which packages had no report. */
export function withoutReport({ report_version: _, ...made }: MadePackage): MadePackage {
  const files = made.files.filter(({ name }) => name.endsWith('.json'))
  return provenAgain(made, { files })
}
