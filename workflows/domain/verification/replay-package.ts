import { z } from 'zod'
import { digestOf } from '../core/canonical-json.ts'
import { REPLAY_TYP } from '../receipts/dated-back.ts'
import type { KeySet } from '../receipts/key-set.ts'
import { RECEIPT_TYP } from '../receipts/receipt.ts'
import { ReplayFile, type ReplayPackage } from '../runs/replay-package.ts'
import { COMPLETION_TYP } from '../runs/return-package.ts'
import { verifyLedger } from '../tasks/ledger.ts'
import { checkReceipts } from './receipts.ts'
import { type Findings, faultUnless, firstFault, openFindings, type Report } from './report.ts'
import { type Given, rerun } from './rerun.ts'
import { checkCompletion } from './return-package.ts'
import { verifySigned } from './signed.ts'

/** `input` where the package holds only its digest, and what was done on the files of uploads. */
export type ReplaySettings = Given & {
  /** A key set that was saved before; without one, a package that agrees with itself is `indeterminate`: anyone can make it. */
  keys?: KeySet
}

/**
 * Holds a replay package against everything in it, and does the work of its run again:
 * nothing but the file is asked, and every part is looked at even where another is wrong.
 */
export function verifyReplayFile(value: unknown, settings: ReplaySettings = {}): Report {
  const findings = openFindings()
  const { data: file, error } = ReplayFile.safeParse(value)
  findings.note('form', error && z.prettifyError(error), 'a replay package v1')
  if (file === undefined) return findings.report()
  const { replay_package: made } = file
  const keys = settings.keys ?? made.keys
  checkSignature(findings, file, keys)
  checkRecord(findings, made, keys)
  const again = rerun(made, settings)
  if ('fault' in again) findings.note('replay', again.fault, '')
  else findings.note('replay', undefined, again.holds)
  return findings.report(settings.keys !== undefined)
}

/** Holds the record of a task against itself and these keys, without its work being done again. */
export function verifyRecord(made: ReplayPackage, keys: KeySet): Report {
  const findings = openFindings()
  checkRecord(findings, made, keys)
  return findings.report()
}

function checkRecord(findings: Findings, made: ReplayPackage, keys: KeySet): void {
  checkLedger(findings, made)
  checkDocuments(findings, made)
  const receipts = checkReceipts(findings, made, (jws) =>
    findings.claims(verifySigned(jws, RECEIPT_TYP, keys)),
  )
  checkResult(findings, made, { keys, receipts })
}

function checkSignature(
  findings: Findings,
  { replay_package: made, jws }: ReplayFile,
  keys: KeySet,
): void {
  const { package_sha256, ...body } = made
  const is = digestOf(body)
  findings.note(
    'package',
    faultUnless(is === package_sha256, `its digest is ${is}, it says another`),
    is,
  )
  const signed = findings.claims(verifySigned(jws, REPLAY_TYP, keys))
  const wanted = {
    iss: made.issuer,
    sub: made.task_id,
    kind: 'replay_package',
    replay_id: made.replay_id,
    ledger_head: made.ledger.at(-1)?.hash,
    package_sha256: is,
  }
  const fault =
    'fault' in signed ? signed.fault : firstFault(Object.entries(wanted), otherThan(signed.payload))
  findings.note('package signature', fault, `signed by ${made.issuer}`)
}

const otherThan =
  (payload: Record<string, unknown>) =>
  ([name, value]: [string, unknown]): string | undefined =>
    faultUnless(payload[name] === value, `it was signed with another ${name}`)

function checkLedger(findings: Findings, { task_id, ledger }: ReplayPackage): void {
  const verdict = verifyLedger(
    task_id,
    ledger.map(({ data: _, ...entry }) => entry),
  )
  const fault = verdict.ok ? undefined : `entry ${verdict.sequence}: ${verdict.fault}`
  findings.note(
    'ledger',
    fault,
    `${ledger.length} entries, each along the state table; head ${ledger.at(-1)?.hash}`,
  )
  const changed = ledger.find(({ data, data_sha256 }) => digestOf(data) !== data_sha256)
  findings.note(
    'ledger data',
    changed && `the data of entry ${changed.sequence} was changed`,
    'as its digests say',
  )
}

/** The terms that were asked for, the contract that was accepted and the one that was sealed, each as the ledger names it. */
function checkDocuments(findings: Findings, { ledger, documents }: ReplayPackage): void {
  const changed = documents.find(({ sha256, content }) => digestOf(content) !== sha256)
  const named = ledger.flatMap(({ data }) =>
    [data['terms_sha256'], data['run_contract_sha256']].filter(
      (sha256) => typeof sha256 === 'string',
    ),
  )
  const here = new Set(documents.map(({ sha256 }) => sha256))
  const missing = named.find((name) => !here.has(name))
  const fault = changed
    ? `${changed.sha256} was changed`
    : missing && `${missing} is named by the ledger and missing`
  findings.note(
    'documents',
    fault,
    `${documents.length}, with all terms and contracts of the ledger`,
  )
}

/** Checks that loop, package and ledger name one result, and that the service signed its completion. */
function checkResult(
  findings: Findings,
  { task_id, rail, ledger, loop_steps, return_package: made }: ReplayPackage,
  { keys, receipts }: { keys: KeySet; receipts: readonly Record<string, unknown>[] },
): void {
  const dataOf = (event: string) => ledger.findLast((entry) => entry.event === event)?.data
  const [produced, attested] = [dataOf('result_produced'), dataOf('result_attested')]
  if (made === null) {
    const isDelivered = dataOf('receipts_issued') !== undefined
    if (produced === undefined || isDelivered)
      findings.note(
        'result',
        produced && 'the ledger names a result that is not here',
        'none was produced',
      )
    else findings.withhold('result', `${produced['result_sha256']} was not delivered`)
    return
  }
  const completion = checkCompletion(
    findings,
    verifySigned(made.completion_signature, COMPLETION_TYP, keys),
  )
  const { completion_signature: _, ...proof } = made
  const led = loop_steps.filter(
    ({ step, verdict }) => verdict !== null && step !== 'return_package' && step !== 'attestation',
  )
  const attestation = receipts.find(
    ({ kind, sub }) => kind === 'attestation' && sub === made.run_id,
  )
  const { proof_hash } = made
  const isProduced = produced?.['result_sha256'] === made.result_sha256
  const ledgerAttests = attested === undefined || attested['proof_hash'] === proof_hash
  const receiptAttests = attested === undefined || attestation?.['proof_hash'] === proof_hash
  const fault =
    firstFault(Object.entries(proof), otherThan(completion ?? {})) ??
    faultUnless(digestOf(led) === made.loop_sha256, 'the steps of the loop are others') ??
    faultUnless(rail === made.rail, 'it is of another rail') ??
    faultUnless(isProduced, 'the ledger names another result') ??
    faultUnless(ledgerAttests, 'the ledger attests another') ??
    faultUnless(receiptAttests, 'no receipt attests it')
  findings.note('result', fault, `${made.result_sha256}, of ${task_id}`)
}
