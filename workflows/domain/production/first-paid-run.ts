/** What the first paid production run has to complete with, in the documented order. */
export const successConditions = [
  'customer_account',
  'work_order',
  'payment_reference',
  'mcp_tool_path',
  'return_package',
  'receipt',
  'proof_hash',
  'completion_signature',
] as const
type SuccessConditionName = (typeof successConditions)[number]
export type SuccessCondition = {
  condition: SuccessConditionName
  met: boolean
  /** The record that shows it; null where there is none. */
  evidence_id: string | null
  detail: string
}

/** The tool through which such a run is begun. */
export const FIRST_PAID_TOOL = 'execute_first_paid_production_run'

/** The records of a closed run; a member is null where there is no such record. */
export type FirstPaidRecords = {
  /** Whether the task ended with a result, and not as failed. */
  readonly completed: boolean
  /** The account that the run was ordered for, and the contract that was accepted for it. */
  readonly customer: {
    readonly ordered: string
    readonly accepted: string | null
    readonly contractId: string | null
  }
  readonly workOrder: { readonly id: string; readonly decision: string | null } | null
  readonly payment: {
    readonly id: string
    readonly state: string
    readonly settlementReceiptId: string | null
  } | null
  readonly write: { readonly auditEventId: string; readonly tool: string | null }
  readonly package: {
    readonly id: string
    readonly proofHash: string
    /** Whether the digest of its result is the signed one. */
    readonly resultIsSigned: boolean
  } | null
  readonly usageReceiptId: string | null
  /** The completion signature as it verifies now: the proof hash in it, and the faults of both. */
  readonly signed: {
    readonly kid: string | null
    readonly proofHash: string | null
    readonly signatureFault: string | null
    readonly proofFault: string | null
  } | null
}

type Judged = { evidence: string | null; fault: string | undefined; holds: string }

/** The eight conditions as the records show them; a failed run meets none that its result would show. */
export function judgeConditions(records: FirstPaidRecords): SuccessCondition[] {
  const judged: Readonly<Record<SuccessConditionName, Judged>> = {
    customer_account: customerOf(records),
    work_order: orderOf(records),
    payment_reference: paymentOf(records),
    mcp_tool_path: toolOf(records),
    return_package: packageOf(records),
    receipt: receiptOf(records),
    proof_hash: proofOf(records),
    completion_signature: signatureOf(records),
  }
  return successConditions.map((condition) => {
    const { evidence, fault, holds } = judged[condition]
    return { condition, met: fault === undefined, evidence_id: evidence, detail: fault ?? holds }
  })
}

export const unmetOf = (conditions: readonly SuccessCondition[]): SuccessCondition[] =>
  conditions.filter(({ met }) => !met)

function customerOf({ customer }: FirstPaidRecords): Judged {
  const { ordered, accepted, contractId } = customer
  const same = accepted === ordered
  return {
    evidence: contractId,
    fault: same ? undefined : 'the accepted contract is not for the customer account',
    holds: 'the contract was accepted for the customer account',
  }
}

function orderOf({ workOrder }: FirstPaidRecords): Judged {
  const state = workOrder?.decision ?? 'undecided'
  const fault = workOrder === null ? 'there is no work order' : `the work order is ${state}`
  return {
    evidence: workOrder?.id ?? null,
    fault: workOrder?.decision === 'approve' ? undefined : fault,
    holds: 'the work order was approved',
  }
}

function paymentOf({ payment }: FirstPaidRecords): Judged {
  const fault = payment === null ? 'nothing was paid' : `the payment is ${payment.state}`
  const paid = payment?.state === 'verified' && payment.settlementReceiptId !== null
  return {
    evidence: payment?.id ?? null,
    fault: paid ? undefined : fault,
    holds: 'the payment is verified, with a settlement receipt',
  }
}

const toolOf = ({ write: { tool, auditEventId } }: FirstPaidRecords): Judged => ({
  evidence: auditEventId,
  fault: tool === FIRST_PAID_TOOL ? undefined : 'the run was not begun over MCP',
  holds: `the run was begun by the tool ${FIRST_PAID_TOOL}`,
})

function packageOf({ package: made, completed }: FirstPaidRecords): Judged {
  let fault: string | undefined
  if (made === null) fault = 'there is no return package'
  else if (!completed) fault = 'the run did not complete'
  else if (!made.resultIsSigned) fault = 'its result is not the one that was signed'
  return { evidence: made?.id ?? null, fault, holds: 'its result is the one that was signed' }
}

const receiptOf = ({ usageReceiptId }: FirstPaidRecords): Judged => ({
  evidence: usageReceiptId,
  fault: usageReceiptId === null ? 'there is no usage receipt' : undefined,
  holds: 'the usage receipt charges the result',
})

function proofOf({ package: made, signed }: FirstPaidRecords): Judged {
  let fault = signed?.proofFault ?? undefined
  if (made === null || signed === null) fault = 'there is no proof hash'
  else if (fault === undefined && signed.proofHash !== made.proofHash)
    fault = 'the proof hash is not the signed one'
  return { evidence: made?.proofHash ?? null, fault, holds: 'computed again from the signed proof' }
}

function signatureOf({ signed }: FirstPaidRecords): Judged {
  const fault = signed === null ? 'there is no completion signature' : signed.signatureFault
  return { evidence: signed?.kid ?? null, fault: fault ?? undefined, holds: 'verified by its key' }
}
