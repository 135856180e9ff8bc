import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import type { ControlDeps } from '../../../activities/payouts/controls.ts'
import { signAct } from '../../../activities/payouts/operator-act.ts'
import { answerCall, claimGrant } from '../../../activities/store/calls/calls.ts'
import {
  listOperators,
  type OperatorRow,
  revokeOperator,
} from '../../../activities/store/operators/operators.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

type Operator = { operatorId: string; name: string }

/** Who may act as an operator, and the end of a credential; each act with its receipt. */
export class OperatorService {
  private readonly deps: ControlDeps & { db: Kysely<Database> }

  constructor(deps: ControlDeps & { db: Kysely<Database> }) {
    this.deps = deps
  }

  list(by: Operator) {
    return transaction(this.deps.db, async (tx) => {
      const operators = (await listOperators(tx)).map(operatorView)
      const act = {
        act: 'operators_list',
        act_on: `sha256:${digestOf(operators)}`,
        reason: 'listed',
      }
      return { operators, receipt: await signAct(this.deps, tx, { by, act }) }
    })
  }

  /** The credential is refused with the next call; throws 404 for an unknown one and 409 for one that is revoked. */
  revoke(
    by: Operator,
    { operator_id, reason }: { operator_id: string; reason: string },
    callId: string,
  ) {
    return transaction(this.deps.db, async (tx) => {
      await claimGrant(tx, callId, operator_id)
      const before = (await listOperators(tx)).find((row) => row.operator_id === operator_id)
      if (before === undefined)
        throw refuse('not_found', {
          detail: 'no such operator',
          next_action: 'List the operators.',
        })
      if (before.revoked_at !== null)
        throw refuse('wrong_state', {
          detail: 'the credential is revoked',
          next_action: 'There is nothing left to revoke.',
          extra: { state: 'revoked' },
        })
      const operator = operatorView(await revokeOperator(tx, operator_id))
      const act = { act: 'operator_revoke', act_on: operator_id, reason }
      const answer = { operator, receipt: await signAct(this.deps, tx, { by, act }) }
      await answerCall(callId, operator_id, 200, answer).run(tx)
      return answer
    })
  }
}

const operatorView = ({ operator_id, name, created_at, revoked_at }: OperatorRow) => ({
  operator_id,
  name,
  created_at: created_at.toISOString(),
  revoked_at: revoked_at?.toISOString() ?? null,
})
