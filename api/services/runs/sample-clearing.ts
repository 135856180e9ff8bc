import { digestOf } from '#domain/core/canonical-json.ts'
import { CODE_VERSION } from '#domain/core/code-version.ts'
import { clear } from '#domain/runs/clearing.ts'
import { faultsOf, type PackageDeps } from '../commerce/evidence.ts'
import { followingOf } from './clearing-view.ts'
import type { SamplePackage } from './sample-packages.ts'

const statement = 'A return package of the sample input.'
const noTerms = {
  obligation_object: { statement, due_at: null, amount_usd: null },
  policy_scope: { rails: null, amount_usd_max: null, data: null },
}

/** What the clearing of a sample run would be: no task, ledger or payment is behind it, and its receipt is that of the sample. */
export async function sampleClearing(deps: PackageDeps, made: SamplePackage) {
  const { return_package: view, receipt: run_receipt, ...sampled } = made
  const { run_id, return_package_id, manifest_sha256, proof_hash, partial, rail } = view
  const faults = await faultsOf(deps, view)
  const { decision, proofState, checks } = clear({
    usage: 'synthetic',
    rail,
    state: 'closed',
    failed: false,
    priceUsd: null,
    package: { partial, faults, madeAt: 0 },
    receipts: { settlement: false, usage: false },
    payment: null,
    obligation: { statement, amountUsd: null, dueAt: null },
    promised: { by: made.fixture_id, scope: [statement], criteria: [] },
    policy: { rails: null, maxUsd: null, limitsData: false },
    now: 0,
  })
  const identity = { fixture_id: made.fixture_id, version: CODE_VERSION }
  const envelope = {
    run_id,
    usage: 'synthetic' as const,
    task_state: 'closed' as const,
    // The head of a ledger without an entry.
    ledger_head: digestOf({ type: 'service.task.v1', task_id: run_id }),
    ledger_entries: 0,
    contract_id: null,
    terms_sha256: null,
    return_package_id,
    manifest_sha256,
    proof_hash,
    settlement_receipt_id: null,
    usage_receipt_id: null,
  }
  const clearing = {
    clearing_id: `cl_${digestOf({ type: 'service.sample-clearing.v1', ...identity })}`,
    ...noTerms,
    evidence_envelope: {
      ...envelope,
      envelope_sha256: digestOf({ ...envelope, checks }),
      checks: [...checks],
    },
    payment_reference: null,
    run_receipt,
    proof_state: proofState,
    ...followingOf(decision, { paid: true, stopped: false }),
  }
  return { ...sampled, fixture_id: `clearing.${made.fixture_id}`, receipt: run_receipt, clearing }
}
