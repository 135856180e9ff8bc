import { z } from 'zod'
import { receiptId } from '#domain/core/ids.ts'
import { encodedText, freeText, IdempotencyKey, ReceiptId } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { TaskException } from '../tasks/recovery-shapes.ts'
import { LedgerEntry } from '../tasks/shapes.ts'
import { RunId } from './shapes.ts'

/** POST /api/agent-use, mode `record_agent_use_receipt`: a receipt of a run is taken, or the run disputed. */
export const recordAgentUseReceipt = operation({
  id: 'record-agent-use-receipt',
  summary:
    'Acknowledge a receipt of your run; one that is not accepted stops the task as disputed, or is a dispute of the closed task.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'record_receipt',
  access: 'agent',
  needs: { scopes: ['runs:write'] },
  errors: ['not_found', 'not_owner', 'wrong_state', 'receipt_invalid', 'forbidden_material'],
  input: z
    .strictObject({
      mode: z.literal('record_agent_use_receipt'),
      run_id: RunId,
      receipt_id: ReceiptId.optional(),
      receipt: encodedText(8192)
        .optional()
        .meta({ description: 'The receipt itself, as a compact JWS.' }),
      accepted: z.boolean(),
      note: freeText(1000).default(''),
      idempotency_key: IdempotencyKey,
    })
    .refine(({ receipt_id, receipt }) => (receipt_id === undefined) !== (receipt === undefined), {
      message: 'give exactly one of receipt_id and receipt',
    })
    .meta({ oneOf: [{ required: ['receipt_id'] }, { required: ['receipt'] }] }),
  output: z
    .strictObject({
      acknowledgement: Receipt,
      ledger_entry: LedgerEntry.meta({
        description: 'The last of the task, or the one that stopped it.',
      }),
      dispute: TaskException.nullable(),
    })
    .meta({ id: 'AcknowledgedReceipt' }),
  handle: async (
    { run_id, receipt = '', receipt_id = receiptId(receipt), accepted, note },
    context,
  ) => {
    const input = { run_id, receipt_id, accepted, note }
    await context.runs.acknowledge(moverOf(context), input, context.callId)
    return answeredByService
  },
})
