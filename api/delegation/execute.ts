import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { receiptView } from '../../activities/keys/receipt-view.ts'
import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import {
  type ActionRow,
  countAttempts,
  findAction,
  findActionIdOfCall,
  findActionOf,
  insertAction,
} from '../../activities/store/authority/actions.ts'
import { type GrantRow, moveGrant } from '../../activities/store/authority/grants.ts'
import {
  type AuthorityMandateRow,
  addUse,
  findAuthorityMandate,
} from '../../activities/store/authority/mandates.ts'
import { findCall } from '../../activities/store/calls/calls.ts'
import { lookUntil } from '../../activities/store/postgres/changes.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import { findReceipt } from '../../activities/store/receipts/receipts.ts'
import type { Context } from '../context.ts'
import type { AuthorityAsked, DecisionView, ExecutedView } from '../shapes/delegations.ts'
import { assertCovered, operationCallId } from './calls.ts'
import { grantConsumed } from './consumed.ts'
import { decide, readArtifacts } from './decide.ts'
import { denied } from './denied.ts'
import type { DelegationDeps } from './deps.ts'
import { type PreparedAction, prepareAction } from './prepare.ts'

/** An execution: the agent's credential, the call that asks for it, and the action. */
type Execution = {
  readonly credential: CredentialOfAgent
  readonly callId: string
  readonly asked: AuthorityAsked
  readonly prepared: PreparedAction
}
type Reserved =
  | { kind: 'action'; actionId: string; isOwn: boolean }
  | { kind: 'denied'; view: DecisionView }
  | { kind: 'conflict' }

/**
 * Executes one action under a mandate and a grant, and waits until its outcome is recorded. Throws 403 `authority_denied`, 409
 * `grant_consumed`, the operation's own refusal, and 409 `idempotency_in_flight` while the outcome is not known.
 */
export async function execute(
  deps: DelegationDeps,
  asked: AuthorityAsked,
  context: Context,
): Promise<ExecutedView> {
  const { caller, callId } = context
  if (caller.kind !== 'agent') throw new TypeError('an agent executes its actions')
  const { credential } = caller
  const prepared = await prepareAction(deps, asked.action, caller.agentId, context)
  if (prepared.operation !== undefined)
    await assertCovered(prepared.operation, prepared.input, credential, deps)
  const until = performance.now() + deps.waitMs
  const execution = { credential, callId, asked, prepared }
  for (;;) {
    const reserved = await deps.queue(String(asked.signed_mandate['mandate_id']), () =>
      transaction(deps.db, (tx) => reserve(deps, tx, execution)),
    )
    if (reserved.kind === 'denied') throw denied(reserved.view, prepared.refusal)
    if (reserved.kind === 'conflict') throw takenKey()
    const { actionId, isOwn } = reserved
    await deps.notify(actionId)
    const ended = await lookUntil(deps.changes, actionId, until - performance.now(), () =>
      findEnded(deps, actionId),
    )
    if (isOwn) return await answerOf(deps, ended)
    // An action that was refused gave its grant back.
    if (ended?.state !== 'refused') throw await consumed(deps, execution, ended)
  }
}

const takenKey = () =>
  refuse('idempotency_conflict', {
    detail: 'the idempotency key of the input was used by a call outside this grant',
    money_moved: 'no',
    errors: [{ pointer: '/action/input/idempotency_key', message: 'was used' }],
  })

async function findEnded({ db }: DelegationDeps, actionId: string): Promise<ActionRow | undefined> {
  const row = await findAction(db, actionId)
  return row?.state === 'done' || row?.state === 'refused' ? row : undefined
}

/** Consumes the grant, adds to the totals of its mandate and stores the action, or finds the action that used the grant. */
async function reserve(
  deps: DelegationDeps,
  tx: Tx,
  { credential, callId, asked, prepared }: Execution,
): Promise<Reserved> {
  const artifacts = await readArtifacts(deps, tx, asked, { lock: true })
  const { mandate, grant } = artifacts
  if (grant?.row?.state === 'consumed') {
    const used = await findActionOf(tx, grant.row.grant_id)
    if (used === undefined) throw new Error('a consumed grant has no action')
    return { kind: 'action', actionId: used.action_id, isOwn: used.call_id === callId }
  }
  const { evaluation, view } = await decide(deps, tx, {
    purpose: 'execute',
    artifacts,
    agentId: credential.agent_id,
    action: prepared.facts,
  })
  const rows = mandate.row && grant?.row && { mandate: mandate.row, grant: grant.row }
  if (evaluation.decision === 'deny' || rows === undefined) return { kind: 'denied', view }
  return storeAction(tx, { ...rows, credential, callId, asked, prepared })
}

type Permitted = Execution & { mandate: AuthorityMandateRow; grant: GrantRow }

async function storeAction(tx: Tx, permitted: Permitted): Promise<Reserved> {
  const { mandate, grant, credential, callId, asked, prepared } = permitted
  const { operation, input, facts } = prepared
  if (operation === undefined || facts.priceUsd === undefined)
    throw new Error('an action without a price was permitted')
  const operation_call_id = operationCallId(operation, input, credential)
  if (await isTaken(tx, operation_call_id)) return { kind: 'conflict' }
  const { grant_id } = grant
  const attempt = await countAttempts(tx, grant_id)
  const action_id = `da_${digestOf({ grant_id, attempt })}`
  await moveGrant(tx, grant_id, 'consumed')
  await insertAction(tx, {
    action_id,
    grant_id,
    mandate_id: mandate.mandate_id,
    agent_id: credential.agent_id,
    credential_id: credential.credential_id,
    operation_id: operation.id,
    input: JSON.stringify(asked.action.input),
    input_sha256: facts.inputSha256,
    call_id: callId,
    operation_call_id,
    price_usd: facts.priceUsd,
  })
  await addUse(tx, mandate.mandate_id, { usd: facts.priceUsd, actions: 1 })
  return { kind: 'action', actionId: action_id, isOwn: true }
}

/** Whether the operation's own call was made before, under another grant or directly. */
async function isTaken(tx: Tx, operationCall: string): Promise<boolean> {
  if ((await findActionIdOfCall(tx, operationCall)) !== undefined) return true
  const call = await findCall(tx, operationCall)
  return call !== undefined && call.grant_state !== 'released'
}

async function answerOf(deps: DelegationDeps, row: ActionRow | undefined): Promise<ExecutedView> {
  if (row === undefined) throw unknownOutcome()
  if (row.refusal !== null) throw new DomainError(row.refusal)
  const { mandate_id, grant_id } = row
  const mandate = await findAuthorityMandate(deps.db, mandate_id)
  if (mandate === undefined) throw new Error('the mandate of an action is missing')
  const { used_usd, used_actions, total_usd, actions_max } = mandate
  return {
    delegated_action: actionOf(row),
    grant_id,
    mandate_remaining: { usd: total_usd - used_usd, actions: actions_max - used_actions },
    receipt: await receiptOf(deps, row),
  }
}

const unknownOutcome = () =>
  refuse('idempotency_in_flight', {
    detail: 'the action has begun and its outcome is not known yet',
    money_moved: 'unknown',
    retry_after_ms: 1000,
  })

function actionOf({ action_id, operation_id, status, result, document }: ActionRow) {
  if (status === null || result === null || document === null)
    throw new Error('an action that is done has no result')
  return { action_id, operation_id, status, result, signed_action: document }
}

async function receiptOf({ db }: DelegationDeps, { receipt_id }: ActionRow) {
  const found = receipt_id === null ? undefined : await findReceipt(db, { receipt_id })
  if (found === undefined) throw new Error('an action that is done has no receipt')
  return receiptView(found.jws)
}

/** The refusal of a used grant; the agent that used it reads its first result. */
async function consumed(
  deps: DelegationDeps,
  { credential, asked }: Execution,
  row: ActionRow | undefined,
): Promise<DomainError> {
  const isOwner = row !== undefined && row.agent_id === credential.agent_id
  const first = isOwner
    ? { first_result: actionOf(row), receipt: await receiptOf(deps, row) }
    : { first_result: null }
  return grantConsumed(asked.signed_action_grant?.['grant_id'], first)
}
