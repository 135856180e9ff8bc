import { utf8ToBytes } from '@noble/hashes/utils.js'
import { z } from 'zod'
import { canonicalJson, digestOf, sha256Hex } from '../core/canonical-json.ts'
import { jsonOf } from '../core/strict-json.ts'
import { isReportFile } from '../rails/report/report.ts'
import type { KeySet } from '../receipts/key-set.ts'
import { isKnownReport, manifestFor } from '../runs/package-files.ts'
import {
  COMPLETION_TYP,
  PackagedWork,
  PackageFile,
  ReturnPackage,
  RunProof,
} from '../runs/return-package.ts'
import type { Reason } from './reasons.ts'
import { type Findings, faultUnless, firstFault, openFindings, type Report } from './report.ts'
import { after, type Opened, openSigned, type Signed, settle } from './signed.ts'
import { keyFacts, unread, type Verdict } from './verdict.ts'

/** A package taken apart: the texts of its files by name, `manifest.json` among them, and its completion signature. */
export type PackageParts = { files: Readonly<Record<string, string>>; completionSignature: string }

const Completion = RunProof.extend({
  sub: z.string(),
  kind: z.literal('completion'),
  proof_hash: z.string(),
}).loose()
type Completion = z.output<typeof Completion>

/** Whether a package is whole and as it was signed; `manifest.json` is what its files are held against. */
export const verifyPackageParts = (parts: PackageParts, keys: KeySet): Report =>
  settle(
    after(openCompletion(parts.completionSignature, keys), (signed) => reportOn(parts, signed)),
  )

/** Whether a package as JSON is whole and as it was signed. */
export function verifyPackageView(value: unknown, keys: KeySet): Report {
  const view = readView(value)
  if ('form' in view) return view.form
  const opened = openCompletion(view.completion_signature, keys)
  return settle(after(opened, (signed) => reportOnView(view, signed)))
}

/** The verdict on a package that was taken apart, but for the check of its signature. */
export const openPackageParts = (parts: PackageParts, keys: KeySet): Opened<Verdict> =>
  after(openCompletion(parts.completionSignature, keys), (signed) =>
    verdictFrom(reportOn(parts, signed), signed),
  )

/** The same of a package as JSON. */
export function openPackageView(value: unknown, keys: KeySet): Opened<Verdict> {
  const view = readView(value)
  if ('form' in view)
    return { done: { ...unread('return_package', 'malformed'), checks: view.form.checks } }
  return after(openCompletion(view.completion_signature, keys), (signed) =>
    verdictFrom(reportOnView(view, signed), signed),
  )
}

const openCompletion = (jws: string, keys: KeySet): Opened<Signed> =>
  openSigned(jws, { typ: COMPLETION_TYP, ring: 'receipt' }, keys)

/** What each failed check of a package is called; the name of any other check is that of a file. */
const reasonOf: ReadonlyMap<string, Reason> = new Map([
  ['claims', 'claims_mismatch'],
  ['proof hash', 'proof_mismatch'],
  ['manifest', 'manifest_mismatch'],
  ['files', 'file_surplus'],
  ['result', 'result_mismatch'],
  ['report', 'report_mismatch'],
  ['report version', 'report_unknown'],
])
const verdicts = { proven: 'valid', refused: 'invalid', indeterminate: 'indeterminate' } as const

function verdictFrom({ verdict, checks }: Report, signed: Signed): Verdict {
  const bad = checks.filter(({ ok }) => !ok).map(({ check }) => check)
  const signature: Reason = signed.ok ? 'claims_invalid' : signed.reason
  const found = bad.map((check) =>
    check === 'completion signature' ? signature : (reasonOf.get(check) ?? 'file_changed'),
  )
  const reasons: Reason[] = verdict === 'indeterminate' ? ['key_revoked'] : [...new Set(found)]
  return {
    kind: 'return_package',
    verdict: verdicts[verdict],
    reasons,
    checks,
    key: signed.key === undefined ? null : keyFacts(signed.key),
    claims: signed.payload ?? null,
  }
}

function reportOn({ files }: PackageParts, signed: Signed): Report {
  const findings = openFindings()
  const completion = checkCompletion(findings, signed)
  const whole = checkFiles(findings, files, completion)
  const names = ['result.json', 'findings.json', 'gaps.json', 'drafts.json']
  const [result, notes, gaps, drafts] = names.map((name) => jsonOf(files[name]))
  const drafted = drafts === undefined ? {} : { drafts }
  checkReport(findings, whole, { result, findings: notes, gaps, ...drafted })
  return findings.report()
}

const noteForm = (findings: Findings, error?: z.ZodError): void =>
  findings.note('form', error && z.prettifyError(error), 'a return package v2')

function readView(value: unknown): ReturnPackage | { form: Report } {
  const { data, error } = ReturnPackage.safeParse(value)
  if (data !== undefined) return data
  const findings = openFindings()
  noteForm(findings, error)
  return { form: findings.report() }
}

/** The file of a value; empty for one that has no canonical JSON, which no digest fits. */
function fileOf(value: unknown): string {
  try {
    return canonicalJson(value)
  } catch {
    return ''
  }
}

function reportOnView(view: ReturnPackage, signed: Signed): Report {
  const findings = openFindings()
  noteForm(findings)
  const completion = checkCompletion(findings, signed)
  const claims: Record<string, unknown> = { ...completion }
  const said = [...Object.keys(RunProof.shape), 'proof_hash'] as (keyof ReturnPackage)[]
  const other = said.find((name) => view[name] !== claims[name])
  findings.note('claims', other && `${other} is not what was signed`, 'as they were signed')
  const files = {
    'manifest.json': fileOf(view.files),
    'result.json': fileOf(view.result),
    'findings.json': fileOf(view.findings),
    'gaps.json': fileOf(view.gaps),
    ...(view.drafts === undefined ? {} : { 'drafts.json': fileOf(view.drafts) }),
  }
  // A report is in the zip alone: what the manifest says of it is held against one that is made again.
  const hasNone = completion !== undefined && completion.report_version === undefined
  const isHere = ({ name }: PackageFile) => hasNone || !isReportFile(name)
  checkReport(findings, checkFiles(findings, files, completion, isHere), view)
  return findings.report()
}

/** The claims of a completion signature, with a check each of the signature and of the proof hash in it. */
export function checkCompletion(findings: Findings, result: Signed): Completion | undefined {
  const signed = findings.claims(result)
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

/** What was signed, and the files of its manifest, where manifest and data are as they were signed. */
type Whole = { completion: Completion; listed: readonly PackageFile[] }

function checkFiles(
  findings: Findings,
  files: PackageParts['files'],
  completion: Completion | undefined,
  isHere: (file: PackageFile) => boolean = () => true,
): Whole | undefined {
  const manifest = files['manifest.json'] ?? ''
  const isSigned = sha256Hex(manifest) === completion?.manifest_sha256
  findings.note(
    'manifest',
    faultUnless(isSigned, 'it is not the one that was signed'),
    sha256Hex(manifest),
  )
  const listed = manifestOf(manifest)
  const changed = new Set<string>()
  for (const { name, sha256, bytes } of listed.filter(isHere)) {
    const text = Object.hasOwn(files, name) ? files[name] : undefined
    let fault: string | undefined
    if (text === undefined) fault = 'it is missing'
    else if (sha256Hex(text) !== sha256 || utf8ToBytes(text).length !== bytes)
      fault = 'it was changed'
    if (fault !== undefined && !isReportFile(name)) changed.add(name)
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
  const drafts = Object.hasOwn(files, 'drafts.json')
    ? sha256Hex(files['drafts.json'] ?? '')
    : undefined
  if (drafts !== completion?.drafts_sha256)
    findings.note('drafts', 'they are not those that were signed', '')
  return completion && isSigned && isResult && changed.size === 0
    ? { completion, listed }
    : undefined
}

/** Makes the report of whole data again, and holds the signed manifest against it. */
function checkReport(findings: Findings, whole: Whole | undefined, value: unknown): void {
  const version = whole?.completion.report_version
  if (whole === undefined || version === undefined) return
  const { completion, listed } = whole
  if (!isKnownReport(completion)) {
    findings.note('report version', `it is ${version}, which this program does not make`, '')
    return
  }
  const { data: work } = PackagedWork.safeParse(value)
  const made = work === undefined ? [] : manifestFor(completion, work)
  const digests = new Map(made.map(({ name, sha256 }) => [name, sha256]))
  const signed = new Map(listed.map(({ name, sha256 }) => [name, sha256]))
  const other = firstFault([...digests.keys(), ...signed.keys()], (name) =>
    faultUnless(digests.get(name) === signed.get(name), `${name} is not made from the result`),
  )
  findings.note('report', other, `made from the result by version ${version}`)
}

function manifestOf(text: string): PackageFile[] {
  try {
    return z.array(PackageFile).parse(JSON.parse(text))
  } catch {
    return []
  }
}
