import { utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { canonicalJson, digestOf, sha256Hex } from '../core/canonical-json.ts'
import { COMPLETION_TYP, PackageFile, ReturnPackage, RunProof } from '../runs/return-package.ts'
import { type Findings, faultUnless, firstFault, openFindings, type Report } from './report.ts'
import { type KeySet, verifySigned } from './signed.ts'

/** A package taken apart: the texts of its files by name, `manifest.json` among them, and its completion signature. */
export type PackageParts = { files: Readonly<Record<string, string>>; completionSignature: string }

const Completion = RunProof.extend({
  sub: z.string(),
  kind: z.literal('completion'),
  proof_hash: z.string(),
}).loose()
type Completion = z.output<typeof Completion>

/** Whether a package is whole and as it was signed; `manifest.json` is what its files are held against. */
export function verifyPackageParts(parts: PackageParts, keys: KeySet): Report {
  const findings = openFindings()
  const completion = checkCompletion(findings, parts.completionSignature, keys)
  checkFiles(findings, parts.files, completion)
  return findings.report()
}

/** Whether a package as JSON is whole and as it was signed. */
export function verifyPackageView(value: unknown, keys: KeySet): Report {
  const findings = openFindings()
  const { data: view, error } = ReturnPackage.safeParse(value)
  findings.note('form', error && z.prettifyError(error), 'a return package v2')
  if (view === undefined) return findings.report()
  const completion = checkCompletion(findings, view.completion_signature, keys)
  const claims: Record<string, unknown> = { ...completion }
  const said = [...Object.keys(RunProof.shape), 'proof_hash'] as (keyof ReturnPackage)[]
  const other = said.find((name) => view[name] !== claims[name])
  findings.note('claims', other && `${other} is not what was signed`, 'as they were signed')
  const files = {
    'manifest.json': canonicalJson(view.files),
    'result.json': canonicalJson(view.result),
    'findings.json': canonicalJson(view.findings),
    'gaps.json': canonicalJson(view.gaps),
  }
  checkFiles(findings, files, completion)
  return findings.report()
}

/** The claims of a completion signature, with a check each of the signature and of the proof hash in it. */
export function checkCompletion(
  findings: Findings,
  jws: string,
  keys: KeySet,
): Completion | undefined {
  const signed = findings.claims(verifySigned(jws, COMPLETION_TYP, keys))
  const parsed = 'fault' in signed ? undefined : Completion.safeParse(signed.payload)
  const fault = 'fault' in signed ? signed.fault : parsed?.error && z.prettifyError(parsed.error)
  findings.note('completion signature', fault, 'signed by the service')
  const completion = parsed?.data
  if (completion === undefined) return undefined
  const proof = RunProof.strip().parse(completion)
  const proven =
    completion.sub === proof.run_id &&
    completion.proof_hash === digestOf({ type: 'service.run-proof.v2', ...proof })
  findings.note(
    'proof hash',
    faultUnless(proven, 'it is not the digest of the proof'),
    completion.proof_hash,
  )
  return completion
}

function checkFiles(
  findings: Findings,
  files: PackageParts['files'],
  completion: Completion | undefined,
): void {
  const manifest = files['manifest.json'] ?? ''
  const isSigned = sha256Hex(manifest) === completion?.manifest_sha256
  findings.note(
    'manifest',
    faultUnless(isSigned, 'it is not the one that was signed'),
    sha256Hex(manifest),
  )
  const listed = manifestOf(manifest)
  for (const { name, sha256, bytes } of listed) {
    const text = Object.hasOwn(files, name) ? files[name] : undefined
    let fault: string | undefined
    if (text === undefined) fault = 'it is missing'
    else if (sha256Hex(text) !== sha256 || utf8ToBytes(text).length !== bytes)
      fault = 'it was changed'
    findings.note(name, fault, sha256)
  }
  const names = new Set(['manifest.json', ...listed.map(({ name }) => name)])
  const surplus = firstFault(Object.keys(files), (name) =>
    faultUnless(names.has(name), `${name} is in no manifest`),
  )
  findings.note('files', surplus, `${listed.length} files, all of the manifest`)
  const isResult =
    completion !== undefined && sha256Hex(files['result.json'] ?? '') === completion.result_sha256
  findings.note(
    'result',
    faultUnless(isResult, 'it is not the one that was signed'),
    completion?.result_sha256 ?? '',
  )
}

function manifestOf(text: string): z.output<typeof PackageFile>[] {
  try {
    return z.array(PackageFile).parse(JSON.parse(text))
  } catch {
    return []
  }
}
