import { describe, expect } from 'vitest'
import {
  FIRST_PAID_TOOL,
  type FirstPaidRecords,
  judgeConditions,
  successConditions,
  unmetOf,
} from '#domain/production/first-paid-run.ts'
import { verifies } from '../../../verifies.ts'

const whole: FirstPaidRecords = {
  completed: true,
  customer: { ordered: 'acme', accepted: 'acme', contractId: 'ct_1' },
  workOrder: { id: 'wo_1', decision: 'approve' },
  payment: { id: 'pr_1', state: 'verified', settlementReceiptId: 'rc_1' },
  write: { auditEventId: 'aud_1', tool: FIRST_PAID_TOOL },
  package: { id: 'rp_1', proofHash: 'ab', resultIsSigned: true },
  usageReceiptId: 'rc_2',
  signed: { kid: 'k1', proofHash: 'ab', signatureFault: null, proofFault: null },
}
const unmetBy = (other: Partial<FirstPaidRecords>) =>
  unmetOf(judgeConditions({ ...whole, ...other })).map(({ condition }) => condition)

verifies('production.conditions', 'whole records meet all eight, each with its evidence', () => {
  const conditions = judgeConditions(whole)
  expect(conditions.map(({ condition }) => condition)).toEqual([...successConditions])
  expect(conditions.every(({ met }) => met)).toBe(true)
  expect(conditions.map(({ evidence_id }) => evidence_id)).toEqual([
    'ct_1',
    'wo_1',
    'pr_1',
    'aud_1',
    'rp_1',
    'rc_2',
    'ab',
    'k1',
  ])
})

describe('each condition fails by its own record alone', () => {
  const signed = whole.signed
  const made = whole.package
  if (signed === null || made === null) throw new Error('the whole records have both')
  const faults: [Partial<FirstPaidRecords>, string[]][] = [
    [{ customer: { ...whole.customer, accepted: 'other' } }, ['customer_account']],
    [{ customer: { ...whole.customer, accepted: null } }, ['customer_account']],
    [{ workOrder: null }, ['work_order']],
    [{ workOrder: { id: 'wo_1', decision: null } }, ['work_order']],
    [{ workOrder: { id: 'wo_1', decision: 'reject' } }, ['work_order']],
    [{ payment: null }, ['payment_reference']],
    [
      { payment: { id: 'pr_1', state: 'presented', settlementReceiptId: 'rc_1' } },
      ['payment_reference'],
    ],
    [
      { payment: { id: 'pr_1', state: 'disputed', settlementReceiptId: 'rc_1' } },
      ['payment_reference'],
    ],
    [
      { payment: { id: 'pr_1', state: 'refunded', settlementReceiptId: 'rc_1' } },
      ['payment_reference'],
    ],
    [
      { payment: { id: 'pr_1', state: 'verified', settlementReceiptId: null } },
      ['payment_reference'],
    ],
    [{ write: { auditEventId: 'aud_1', tool: null } }, ['mcp_tool_path']],
    [{ write: { auditEventId: 'aud_1', tool: 'start_rail_run' } }, ['mcp_tool_path']],
    [{ completed: false }, ['return_package']],
    [{ package: { ...made, resultIsSigned: false } }, ['return_package']],
    [{ usageReceiptId: null }, ['receipt']],
    [{ package: { ...made, proofHash: 'cd' } }, ['proof_hash']],
    [{ signed: { ...signed, proofFault: 'changed' } }, ['proof_hash']],
    [{ signed: { ...signed, signatureFault: 'revoked' } }, ['completion_signature']],
    [{ package: null, signed: null }, ['return_package', 'proof_hash', 'completion_signature']],
  ]
  for (const [other, unmet] of faults)
    verifies('production.conditions', JSON.stringify(other).slice(0, 70), () => {
      expect(unmetBy(other)).toEqual(unmet)
    })
})
