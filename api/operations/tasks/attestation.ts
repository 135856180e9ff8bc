import { z } from 'zod'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Receipt } from '../operators/receipt.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'

/** GET /api/agents/tasks/{token}/attestation on the OS host: what the service signs of the run, and our own judgement of it. */
export const taskAttestation = operation({
  id: 'task-attestation',
  summary:
    'Read the signed attestation of a task’s run, with its verification; of a task that failed, how it ended.',
  http: { method: 'GET', path: '/api/agents/tasks/{token}/attestation', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: false },
  errors: ['not_ready'],
  output: z
    .strictObject({ attestation: Receipt, verification_packet: VerificationPacket })
    .meta({ id: 'TaskAttestation' }),
  handle: async (_input, context) => {
    const attestation = await context.tasks.attestation(subjectOf(context))
    const verification_packet = await context.receipts.verify({
      receipt_id: attestation.receipt_id,
    })
    return { body: { attestation, verification_packet } }
  },
})
