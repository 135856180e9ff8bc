import { evaluate } from '#domain/authority/evaluate.ts'
import { refuse } from '#domain/core/errors.ts'
import { requireQuote } from '../credit/quotes.ts'
import { findAction } from '../store/authority/actions.ts'
import { addUse, lockAuthorityMandate } from '../store/authority/mandates.ts'
import { clockSeconds, type Tx } from '../store/postgres/db.ts'
import type { CustomerWorkflowRow } from '../store/production/customer-workflows.ts'
import {
  chargeFiringRow,
  type DelegatedFiring,
  findDelegatedFiring,
  findReserved,
  releaseReserved,
  useReserved,
} from '../store/production/firing-charges.ts'
import type { AuthorityDeps } from './deps.ts'
import { authorityKeyStatus, readMandate } from './facts.ts'

/**
 * Charges the run that this call starts to the mandate under which its workflow was made, once, in the transaction that pays the run.
 * The action that made the workflow has paid its first run. Does nothing for any other call; throws 403 `authority_denied`.
 */
export async function chargeFiring(
  { keys }: Pick<AuthorityDeps, 'keys'>,
  tx: Tx,
  { callId, quoteId }: { callId: string; quoteId: string },
): Promise<void> {
  const firing = await findDelegatedFiring(tx, callId)
  if (firing === undefined) return
  const keyStatus = await authorityKeyStatus(keys, tx)
  const { facts } = await readMandate(tx, { keyStatus, lock: true }, firing.document)
  const priceUsd = (await requireQuote(tx, quoteId)).total_usd
  const reserved = await findReserved(tx, firing)
  const isPaid = reserved !== undefined && priceUsd <= reserved
  const used = isPaid ? { usd: priceUsd, actions: 1 } : { usd: 0, actions: 0 }
  const mandate = 'flaw' in facts ? facts : { ...facts, used: without(facts.used, used) }
  const nowMs = (await clockSeconds(tx)) * 1000
  const action = actionOf(firing, priceUsd)
  const judged = evaluate({ nowMs, agentId: firing.agent_id, mandate, grant: undefined, action })
  if (judged.decision === 'deny') throw denied(judged.deciding)
  if (isPaid) await useReserved(tx, firing)
  await chargeFiringRow(tx, firing, isPaid ? 0 : priceUsd)
  if (!isPaid) await addUse(tx, firing.mandate_id, { usd: priceUsd, actions: 1 })
}

type Used = { usd: number; actions: number }
const without = (one: Used, other: Used): Used => ({
  usd: one.usd - other.usd,
  actions: one.actions - other.actions,
})

const actionOf = ({ input_sha256, rail, wallet_id }: DelegatedFiring, priceUsd: number) => ({
  operationId: 'customer-workflow-create',
  delegable: true,
  inputSha256: input_sha256,
  rails: [rail],
  resources: [wallet_id],
  priceUsd,
  spendUsd: undefined,
})

const denied = (reasons: ReturnType<typeof evaluate>['deciding']) =>
  refuse('authority_denied', {
    detail: reasons.map(({ detail }) => detail).join('; '),
    money_moved: 'no',
    extra: { reasons },
  })

/**
 * Gives back to a mandate what its actions have used for workflows that are over, or that it lets start no run any more, and that
 * no run has used; returns the sum. The actions stay counted.
 */
export async function releaseUnused(tx: Tx, mandateId: string): Promise<number> {
  await lockAuthorityMandate(tx, mandateId)
  const usd = await releaseReserved(tx, mandateId)
  if (usd > 0) await addUse(tx, mandateId, { usd: -usd, actions: 0 })
  return usd
}

/** As `releaseUnused`, for the mandate under which a workflow that is over was made; 0 for one without a mandate. */
export async function releaseOfWorkflow(
  tx: Tx,
  { action_id }: Pick<CustomerWorkflowRow, 'action_id'>,
): Promise<number> {
  const action = action_id === null ? undefined : await findAction(tx, action_id)
  return action === undefined ? 0 : releaseUnused(tx, action.mandate_id)
}
