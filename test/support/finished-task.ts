import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { Drafts, ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { Rail } from '#domain/rails/rail.ts'
import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { buildReturnPackage } from '#domain/runs/package-files.ts'
import {
  buildReplayPackage,
  type ReplayFile,
  type ReplayPackage,
  replayClaims,
  verifyInstructions,
} from '#domain/runs/replay-package.ts'
import {
  COMPLETION_TYP,
  completionClaims,
  loopDigest,
  type MadePackage,
  signedFacts,
} from '#domain/runs/return-package.ts'
import { loopSteps } from '#domain/tasks/controlled-loop.ts'
import { ledgerEntry } from '#domain/tasks/ledger.ts'
import type { TaskEvent, TaskState } from '#domain/tasks/lifecycle.ts'
import { nextTaskState } from '#domain/tasks/lifecycle.ts'
import { signCompact } from '../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings } from '../../activities/keys/key-ring.ts'
import { rotateSigningKeys } from './rotated-keys.ts'

const issuer = 'http://127.0.0.1:3000/api/trust-contract'
const signedAt = { issuer, environment: 'local', iat: 1_795_255_200 }
/** Old key, new key: a task may outlive a rotation. */
const signingKeys = rotateSigningKeys(
  generateSigningKeys(new Date('2026-11-20')),
  new Date('2026-11-21'),
)
const rings = keyRings(signingKeys)
export const receiptKey = rings.receipt.active

/** The key set as the service publishes it. */
export const keySet = (changes: Partial<KeySet['keys'][number]> = {}): KeySet => ({
  keys: rings.receipt.publicKeys.map(({ kid, publicJwk }) => ({
    kty: 'OKP',
    ...publicJwk,
    kid,
    use_for: 'receipt',
    retired_at: null,
    revoked_at: null,
    ...changes,
  })),
})

export const signedBy = (typ: string, payload: object): Promise<string> =>
  signCompact(receiptKey, { typ, payload })

const runId = (rail: Rail): string => `run_${digestOf({ run: rail.key })}`

/** What a model drafted of the sandbox input, and the stored outputs. */
export type FinishedDrafts = { drafts: Drafts; outputs: readonly ModelOutput[] }

/** The package of a rail's sandbox input, optionally with its lists as uploads, and its completion signature. */
export async function finishedPackage(
  rail: Rail,
  notified: unknown = rail.sandboxInput,
  drafted?: FinishedDrafts,
): Promise<{
  made: MadePackage
  signature: string
  steps: ReplayPackage['loop_steps']
}> {
  const steps = loopSteps.map((step) => ({
    attempt: 0,
    round: 0,
    step,
    verdict: 'done' as const,
    output_sha256: sha256Hex(step),
  }))
  const run = {
    run_id: runId(rail),
    rail: rail.key,
    tier: 'standard',
    usage: 'synthetic',
    partial: false,
  } as const
  const digests = { input_sha256: digestOf(notified), loop_sha256: loopDigest(steps) }
  const work = rail.work(rail.sandboxInput)
  const { drafts } = drafted ?? {}
  const made = buildReturnPackage(
    { ...run, ...digests },
    drafts === undefined ? work : { ...work, drafts },
  )
  return {
    made,
    signature: await signedBy(COMPLETION_TYP, completionClaims(made, signedAt)),
    steps,
  }
}

type Notice = [TaskEvent, Record<string, unknown>]

function ledgerOf(taskId: string, notified: Notice[]): ReplayPackage['ledger'] {
  let state: TaskState | 'none' = 'none'
  const entries: ReplayPackage['ledger'] = []
  for (const [index, [event, data]] of notified.entries()) {
    const to = nextTaskState(state, event, 'callback_pending')
    if (to === undefined) throw new Error(`${state} has no ${event}`)
    const at = new Date(Date.UTC(2026, 10, 21, 10, 0, index)).toISOString()
    const move = { event, from_state: state, to_state: to, at, actor: 'service', data }
    entries.push({ ...ledgerEntry(taskId, entries.at(-1), move), data })
    state = to
  }
  return entries
}

/** A sandbox task of a rail that ended with a delivery that failed, with everything that a replay package holds of it. */
export async function finishedTask(
  rail: Rail,
  input: unknown = rail.sandboxInput,
  drafted?: FinishedDrafts,
): Promise<ReplayFile> {
  const task_id = `task-${sha256Hex(`task of ${rail.key}`)}`
  const { made, signature, steps } = await finishedPackage(rail, input, drafted)
  const terms = { rail: rail.key, tier: 'standard', usage: 'synthetic' }
  const sealed = { contract: 'sealed', input_sha256: digestOf(input) }
  const receipt = (sub: string, kind: string, prev: string | null, facts: object) =>
    signedBy(RECEIPT_TYP, {
      iss: issuer,
      iat: signedAt.iat,
      sub,
      kind,
      usage: 'synthetic',
      environment: 'local',
      prev,
      ...facts,
    })
  const settlement = await receipt('en_1', 'settlement_receipt', null, { entitlement_id: 'en_1' })
  const usage = await receipt('en_1', 'usage_receipt', sha256Hex(settlement), {
    entitlement_id: 'en_1',
  })
  const until: Notice[] = [
    ['submit', { terms_sha256: digestOf(terms) }],
    ['preflight_passed', { checks: [] }],
    ['contract_prepared', { contract_id: 'ct_1', terms_sha256: digestOf(terms) }],
    ['contract_accepted', { terms_sha256: digestOf(terms) }],
    ['trust_requested', {}],
    ['trust_granted', {}],
    ['quote_issued', { quote_id: 'qt_1' }],
    ['credit_requested', { entitlement_id: 'en_1' }],
    ['credit_funded', { settlement_receipt_id: receiptId(settlement) }],
    [
      'enqueued',
      {
        review_decision: 'sandbox_policy',
        input_sha256: digestOf(input),
        run_contract_sha256: digestOf(sealed),
      },
    ],
    ['started', { run_id: made.run_id }],
    [
      'result_produced',
      { return_package_id: made.return_package_id, result_sha256: made.result_sha256 },
    ],
  ]
  const attestation = await receipt(made.run_id, 'attestation', null, {
    task_id,
    proof_hash: made.proof_hash,
    ledger_head: ledgerOf(task_id, until).at(-1)?.hash,
  })
  const exception_id = `ex_${digestOf({ task_id })}`
  const raised: Notice[] = [
    ...until,
    ['result_attested', { receipt_id: receiptId(attestation), proof_hash: made.proof_hash }],
    ['receipts_issued', { usage_receipt_id: receiptId(usage) }],
    ['callback_scheduled', { delivery_id: 'cb_1' }],
    ['exception_raised', { code: 'callback_failed', detail: 'given up' }],
  ]
  const ledger = ledgerOf(task_id, raised)
  const exception = await receipt(exception_id, 'exception', null, {
    task_id,
    exception_id,
    ledger_head: ledger.at(-1)?.hash,
  })
  return signedFile({
    issuer,
    task_id,
    rail: rail.key,
    exception_id,
    resume_state: 'callback_pending',
    from_step: null,
    ledger,
    loop_steps: steps,
    receipts: [settlement, usage, attestation, exception],
    documents: [terms, sealed, input, ...(drafted?.outputs ?? [])].map((content) => ({
      sha256: digestOf(content),
      content,
    })),
    return_package: { ...signedFacts(made), completion_signature: signature },
    keys: keySet(),
  })
}

/** The file of a package of these parts, signed by the service. */
export async function signedFile(
  parts: Parameters<typeof buildReplayPackage>[0],
): Promise<ReplayFile> {
  const replay_package = buildReplayPackage(parts)
  return {
    replay_package,
    jws: await signedBy(REPLAY_TYP, replayClaims(replay_package)),
    verify_instructions: verifyInstructions,
  }
}

/** The file of a package that was changed, as the service itself would sign it: what is wrong is only inside it. */
export const signedAgain = ({
  replay_id: _,
  code_version: _c,
  inputs: _i,
  package_sha256: _p,
  ...parts
}: ReplayPackage): Promise<ReplayFile> => signedFile(parts)

/** The file of a task as it was after this event, without its result. */
export function withoutResult({ replay_package }: ReplayFile, last: TaskEvent) {
  const { ledger, receipts } = replay_package
  const end = ledger.findIndex(({ event }) => event === last) + 1
  return signedAgain({
    ...replay_package,
    ledger: ledger.slice(0, end),
    receipts: receipts.slice(0, 3),
    exception_id: null,
    resume_state: null,
    return_package: null,
  })
}
