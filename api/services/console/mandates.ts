import { OpenCheckoutMandate, OpenPaymentMandate } from '#domain/ap2/mandates.ts'
import { refuse } from '#domain/core/errors.ts'
import { formatUsdc } from '#domain/core/money.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { isoTime } from '#domain/core/time.ts'
import { majorOf } from '#domain/rails/report/decimal-text.ts'
import { decodeMandate } from '../../../activities/keys/ap2-chain.ts'
import {
  type ActionFilter,
  type ActionLine,
  type GrantFilter,
  type GrantLine,
  listActionLines,
  listGrantLines,
} from '../../../activities/store/console/delegated-actions.ts'
import {
  type Ap2PaymentLine,
  listAp2Payments,
  listDecisionLines,
  listFiringLines,
  listMandateLines,
  type MandateFilter,
  type MandateLine,
} from '../../../activities/store/console/mandates.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { delegationWorkflowId } from '../../../temporal/workflow-starts.ts'
import { type TemporalUi, temporalUrl } from '../recovery/temporal-url.ts'

const TEXT_MAX = 500
const NAME_MAX = 200
/** How many decisions, grants, actions or payments the page of a mandate has. */
const SHOWN = 50

type Page = { offset: number; limit: number }

/** Delegated authority as operators look at it. Nothing is used or changed, and no receipt is written. */
export class MandateViews {
  private readonly deps: { db: Tx; config: TemporalUi }

  constructor(deps: { db: Tx; config: TemporalUi }) {
    this.deps = deps
  }

  async list(filter: MandateFilter, page: Page) {
    return (await listMandateLines(this.deps.db, filter, page)).map(lineOf)
  }

  /** A mandate with its terms, decisions, grants and actions, or its payments; 404 for an unknown id. */
  async read(id: string) {
    const { db } = this.deps
    const page = { offset: 0, limit: SHOWN }
    const lines = await listMandateLines(db, { text: id }, { offset: 0, limit: 1 })
    const [row] = lines.filter((line) => line.id === id)
    if (row === undefined) throw refuse('not_found', { detail: 'no such mandate' })
    const { kind } = row
    const [decisions, grants, actions, firings, payments] = await Promise.all([
      kind === 'authority' ? listDecisionLines(db, id, SHOWN) : [],
      kind === 'authority' ? this.grants({ text: id }, page) : [],
      kind === 'authority' ? this.actions({ text: id }, page) : [],
      kind === 'authority' ? listFiringLines(db, id, SHOWN) : [],
      kind === 'ap2' ? listAp2Payments(db, id, SHOWN) : [],
    ])
    return {
      ...lineOf(row),
      revocation: revocationOf(row),
      document: documentOf(row),
      decisions: decisions.map(({ decided_at, ...decision }) => ({
        ...decision,
        decided_at: decided_at.toISOString(),
      })),
      grants,
      actions,
      firings: firings.map(({ due_at, ...firing }) => ({
        ...firing,
        workflow_name: oneLine(firing.workflow_name, NAME_MAX),
        due_at: due_at.toISOString(),
      })),
      payments: payments.map(paymentOf),
    }
  }

  async grants(filter: GrantFilter, page: Page) {
    return (await listGrantLines(this.deps.db, filter, page)).map(grantOf)
  }

  async actions(filter: ActionFilter, page: Page) {
    const { db, config } = this.deps
    return (await listActionLines(db, filter, page)).map((line) => ({
      ...actionOf(line),
      temporal_url: temporalUrl(config, delegationWorkflowId(line.action_id)),
    }))
  }
}

/** Amounts of AP2 are stored in minor units, those of a payout in atomic ones, those of the authority in whole US dollars. */
function amountOf({ kind, currency }: MandateLine, amount: string): string {
  if (kind === 'payout') return formatUsdc(BigInt(amount))
  return kind === 'ap2' ? (majorOf(amount, currency ?? undefined) ?? amount) : amount
}

function budgetOf(line: MandateLine) {
  const { currency, used, total } = line
  if (currency === null || total === null) return null
  return {
    currency,
    total: amountOf(line, total),
    used: amountOf(line, used),
    left: amountOf(line, String(BigInt(total) - BigInt(used))),
  }
}

const lineOf = (line: MandateLine) => ({
  kind: line.kind,
  mandate_id: line.id,
  agent_id: line.agent_id,
  agent_name: line.agent_name === null ? null : oneLine(line.agent_name, NAME_MAX),
  principal: oneLine(line.principal, TEXT_MAX),
  state: line.state,
  budget: budgetOf(line),
  uses: line.uses,
  uses_max: line.uses_max,
  issued_by: line.issued_by === null ? null : oneLine(line.issued_by, NAME_MAX),
  known_since: line.known_since.toISOString(),
  expires_at: isoTime(line.expires_at),
})

/** The terms as they were issued; those of AP2 are revealed, and of a payout they are what its mandate is for. */
function documentOf({ kind, document }: MandateLine): Record<string, unknown> | null {
  if (kind !== 'ap2' || document === null) return document
  const { open_payment_mandate, open_checkout_mandate } = document
  return {
    open_payment: decodeMandate(String(open_payment_mandate), OpenPaymentMandate),
    open_checkout: decodeMandate(String(open_checkout_mandate), OpenCheckoutMandate),
  }
}

function revocationOf({ revoked_at, revoked_by, revoke_reason }: MandateLine) {
  if (revoked_at === null || revoked_by === null || revoke_reason === null) return null
  return {
    at: revoked_at.toISOString(),
    by: oneLine(revoked_by, NAME_MAX),
    reason: oneLine(revoke_reason, TEXT_MAX),
  }
}

const paymentOf = ({ amount_minor, paid_at, ...payment }: Ap2PaymentLine) => ({
  ...payment,
  amount: majorOf(amount_minor, payment.currency) ?? amount_minor,
  instrument_type: oneLine(payment.instrument_type, NAME_MAX),
  instrument_id: oneLine(payment.instrument_id, NAME_MAX),
  paid_at: paid_at.toISOString(),
})

const grantOf = ({ issued_at, expires_at, agent_name, issued_by, ...grant }: GrantLine) => ({
  ...grant,
  agent_name: oneLine(agent_name, NAME_MAX),
  issued_by: oneLine(issued_by, NAME_MAX),
  issued_at: issued_at.toISOString(),
  expires_at: expires_at.toISOString(),
})

function actionOf(line: ActionLine) {
  const { refusal, decision_id, rules, decision_receipt_id, reserved_at, finished_at, ...action } =
    line
  const isDecided = decision_id !== null && rules !== null && decision_receipt_id !== null
  return {
    ...action,
    agent_name: oneLine(action.agent_name, NAME_MAX),
    refusal:
      refusal === null ? null : { code: refusal.code, detail: oneLine(refusal.detail, TEXT_MAX) },
    decision: isDecided ? { decision_id, rules, receipt_id: decision_receipt_id } : null,
    reserved_at: reserved_at.toISOString(),
    finished_at: isoTime(finished_at),
  }
}
