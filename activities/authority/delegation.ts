import { provesNoEffect } from '#domain/authority/outcome.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { DomainError, type Refusal, refuse } from '#domain/core/errors.ts'
import type { DelegationSnapshot, DelegationSteps } from '../../workflows/delegation/activities.ts'
import {
  type ActionRow,
  endAction,
  findAction,
  lockAction,
  startAction,
} from '../store/authority/actions.ts'
import { lockGrant, moveGrant } from '../store/authority/grants.ts'
import { addUse, lockAuthorityMandate } from '../store/authority/mandates.ts'
import { clockSeconds, type Tx, transaction } from '../store/postgres/db.ts'
import { signArtifact } from './artifacts.ts'
import { type AuthorityDeps, writeAuthorityReceipt } from './deps.ts'
import { authorityKeyStatus } from './facts.ts'

/** What an operation is run with: the input of the grant, for the agent of a credential. */
export type DelegatedRun = {
  readonly operationId: string
  readonly input: Record<string, unknown>
  readonly credentialId: string
  readonly actionId: string
}
export type DelegatedResult = { status: number; body: Record<string, unknown> }
/** How operations are run; both throw a `DomainError` for a refusal. */
export type RunOperations = {
  /** Checks credential, scopes, rails and input, before the action starts. */
  authorize(run: DelegatedRun): Promise<void>
  /** Runs the operation as its own call; a repeat joins that call. */
  perform(run: DelegatedRun): Promise<DelegatedResult>
}
type Deps = AuthorityDeps & RunOperations

/** The step of a delegated action: stored before it starts, and ended only by a known outcome. */
export function createDelegationSteps(deps: Deps): DelegationSteps {
  return {
    performAction: async (actionId) => {
      const action = await findAction(deps.db, actionId)
      if (action === undefined) return null
      return snapshotOf((await openAction(deps, action)) ?? (await runAction(deps, action)))
    },
  }
}

/** Starts an action once it is authorized; returns the row of one that has ended, or is refused before its start. */
async function openAction(deps: Deps, action: ActionRow): Promise<ActionRow | undefined> {
  if (isEnded(action)) return action
  if (action.state === 'started') return undefined
  const refusal = await refusalOf(deps.authorize(runOf(action)))
  if (refusal !== undefined) {
    if (provesNoEffect(refusal, { again: false })) return refuseAction(deps, action, refusal)
    throw new DomainError(refusal)
  }
  return transaction(deps.db, async (tx) => {
    const { mandate, row } = await lockAll(tx, action)
    if (row.state !== 'reserved') return isEnded(row) ? row : undefined
    if (mandate.revoked_at !== null) return undo(tx, row, revokedRefusal())
    await startAction(tx, row.action_id)
    return undefined
  })
}

const revokedRefusal = (): Refusal =>
  refuse('authority_denied', {
    detail: 'the mandate was revoked before the action started',
    money_moved: 'no',
    extra: {
      reasons: [{ rule: 'mandate_revoked', effect: 'deny', detail: 'the mandate is revoked' }],
    },
  }).refusal

/** Runs the operation of a started action. An outcome that is not known is thrown, so that the step is repeated. */
async function runAction(deps: Deps, action: ActionRow): Promise<ActionRow> {
  try {
    const result = await deps.perform(runOf(action))
    return await finishAction(deps, action, result)
  } catch (error) {
    const again = action.state === 'started'
    if (!(error instanceof DomainError) || !provesNoEffect(error.refusal, { again })) throw error
    return refuseAction(deps, action, error.refusal)
  }
}

/** Records the result with the signed action and its receipt. */
function finishAction(
  deps: Deps,
  { mandate_id, grant_id, action_id }: ActionRow,
  { status, body }: DelegatedResult,
): Promise<ActionRow> {
  return transaction(deps.db, async (tx) => {
    const { row } = await lockAll(tx, { mandate_id, grant_id, action_id })
    if (isEnded(row)) return row
    const nowSeconds = await clockSeconds(tx)
    const unsigned = {
      schema: 'delegated-action.v1' as const,
      action_id,
      issuer: deps.origin,
      mandate_id,
      grant_id,
      agent_id: row.agent_id,
      operation_id: row.operation_id,
      input_sha256: row.input_sha256,
      spent_usd: row.price_usd,
      result_status: status,
      result_sha256: digestOf(body),
      executed_at: new Date(nowSeconds * 1000).toISOString(),
    }
    const document = await signArtifact('action', await authorityKeyStatus(deps.keys, tx), unsigned)
    const { schema: _schema, issuer: _issuer, ...facts } = unsigned
    const receipt = await writeAuthorityReceipt(deps, tx, {
      subject: action_id,
      kind: 'delegated_action',
      facts,
      nowSeconds,
    })
    await endAction(tx, action_id, {
      state: 'done',
      status,
      result: JSON.stringify(body),
      document: JSON.stringify(document),
      receipt_id: receipt.receipt_id,
    })
    return requireAction(tx, action_id)
  })
}

/** Ends an action that had no effect: its grant can be used again, and its price is free again. */
const refuseAction = (deps: Deps, action: ActionRow, refusal: Refusal): Promise<ActionRow> =>
  transaction(deps.db, async (tx) => {
    const { row } = await lockAll(tx, action)
    return isEnded(row) ? row : undo(tx, row, refusal)
  })

async function undo(tx: Tx, row: ActionRow, refusal: Refusal): Promise<ActionRow> {
  const { action_id, mandate_id, grant_id, price_usd, released_usd } = row
  await endAction(tx, action_id, { state: 'refused', refusal: JSON.stringify(refusal) })
  await addUse(tx, mandate_id, { usd: (released_usd ?? 0) - price_usd, actions: -1 })
  const mandate = await lockAuthorityMandate(tx, mandate_id)
  await moveGrant(tx, grant_id, mandate?.revoked_at === null ? 'issued' : 'revoked')
  return requireAction(tx, action_id)
}

/** Mandate, grant and action, locked in this order. */
async function lockAll(
  tx: Tx,
  { mandate_id, grant_id, action_id }: Pick<ActionRow, 'mandate_id' | 'grant_id' | 'action_id'>,
) {
  const mandate = await lockAuthorityMandate(tx, mandate_id)
  const grant = await lockGrant(tx, grant_id)
  const row = await lockAction(tx, action_id)
  if (mandate === undefined || grant === undefined || row === undefined)
    throw new Error('the mandate, grant or row of an action is missing')
  return { mandate, row }
}

async function requireAction(tx: Tx, actionId: string): Promise<ActionRow> {
  const row = await findAction(tx, actionId)
  if (row === undefined) throw new Error('an action is missing')
  return row
}

const isEnded = ({ state }: ActionRow): boolean => state === 'done' || state === 'refused'

function runOf({ operation_id, input, credential_id, action_id }: ActionRow): DelegatedRun {
  if (input === null) throw new Error('an open action has no input')
  return {
    operationId: operation_id,
    input,
    credentialId: credential_id,
    actionId: action_id,
  }
}

const refusalOf = (checked: Promise<void>): Promise<Refusal | undefined> =>
  checked.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof DomainError) return error.refusal
      throw error
    },
  )

function snapshotOf({ action_id, operation_id, state, refusal }: ActionRow): DelegationSnapshot {
  return {
    actionId: action_id,
    operationId: operation_id,
    state: state === 'done' ? 'done' : 'refused',
    refusal: refusal?.code ?? null,
  }
}
