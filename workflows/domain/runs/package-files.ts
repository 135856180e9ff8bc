import { utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalJson, digestOf, sha256Hex } from '../core/canonical-json.ts'
import { REPORT_VERSION } from '../rails/report/report.ts'
import { reportOf } from '../rails/reports.ts'
import {
  type MadePackage,
  type PackagedWork,
  type PackageFile,
  type RunProof,
  returnPackageId,
  SIGNATURE_FILE,
} from './return-package.ts'

/** The data of finished work, by name: canonical JSON, so that their SHA-256 is the digest of their value. */
function dataFiles({ result, findings, gaps, drafts }: PackagedWork): Record<string, string> {
  return {
    'result.json': canonicalJson(result),
    'findings.json': canonicalJson(findings),
    'gaps.json': canonicalJson(gaps),
    ...(drafts === undefined ? {} : { 'drafts.json': canonicalJson(drafts) }),
  }
}

type Reported = Parameters<typeof reportOf>[0] & Pick<RunProof, 'report_version'>

/** Whether this code makes reports of a version; packages without a version have no report. */
export const isKnownReport = ({ report_version: version }: Pick<RunProof, 'report_version'>) =>
  version === undefined || version === REPORT_VERSION

/** The files of a run's work but for manifest and signature, by name. Throws a RangeError for a report of an unknown version. */
function packageFiles(run: Reported, work: PackagedWork): Record<string, string> {
  if (!isKnownReport(run))
    throw new RangeError(`there are no rules for reports of version ${run.report_version}`)
  return {
    ...dataFiles(work),
    ...(run.report_version === undefined ? {} : reportOf(run, work)),
  }
}

/** The manifest of a run's work: the digest of each file. Throws a RangeError for a report of an unknown version. */
export const manifestFor = (run: Reported, work: PackagedWork): PackageFile[] =>
  Object.entries(packageFiles(run, work)).map(([name, text]) => ({
    name,
    sha256: sha256Hex(text),
    bytes: utf8ToBytes(text).length,
  }))

/** Every file of a package by name: what it holds, `manifest.json` with their digests, and the completion signature. */
export function packageTexts(
  made: Reported & Pick<MadePackage, 'result' | 'findings' | 'gaps' | 'drafts' | 'files'>,
  completionSignature: string,
): Record<string, string> {
  return {
    'manifest.json': canonicalJson(made.files),
    [SIGNATURE_FILE]: completionSignature,
    ...packageFiles(made, made),
  }
}

type RunFacts = Pick<
  RunProof,
  'run_id' | 'rail' | 'tier' | 'usage' | 'partial' | 'input_sha256' | 'loop_sha256'
>

/** The package of a run's work; the same run and work always make the same. */
export function buildReturnPackage(run: RunFacts, work: PackagedWork): MadePackage {
  const { drafts } = work
  const reported = {
    ...run,
    result_sha256: digestOf(work.result),
    report_version: REPORT_VERSION,
    ...(drafts === undefined ? {} : { drafts_sha256: digestOf(drafts) }),
  }
  const files = manifestFor(reported, work)
  const proof: RunProof = {
    ...reported,
    return_package_id: returnPackageId(run.run_id),
    manifest_sha256: digestOf(files),
  }
  return { ...proof, ...work, files, proof_hash: proofHash(proof) }
}

const proofHash = (proof: RunProof): string => digestOf({ type: 'service.run-proof.v2', ...proof })
