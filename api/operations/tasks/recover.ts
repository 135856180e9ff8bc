import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { moverOf, subjectOf } from '../agents/caller.ts'
import { InputPatch, inputErrors } from './input-shapes.ts'
import { Recovery, RecoveryAction, TaskExceptionId } from './recovery-shapes.ts'

/** POST /api/agents/tasks/{token}/recover on the OS host: recovers a stopped task. */
export const taskRecover = operation({
  id: 'task-recover',
  summary:
    'Recover a stopped task, or supply the evidence that it waits for; 202 while an operator has to decide.',
  http: { method: 'POST', path: '/api/agents/tasks/{token}/recover', host: 'os' },
  access: ['operator', 'status'],
  statusToken: { prefixes: ['tk'], signed: true },
  limits: { bodyBytes: 1_048_576 },
  status: [202, 200],
  errors: [...inputErrors, 'evidence_changed', 'not_found', 'wrong_state', 'recovery_not_allowed'],
  uses: () => ({ workflows: 1 }),
  input: z
    .strictObject({
      exception_id: TaskExceptionId.optional().meta({
        description:
          'What stops the task; needed unless it waits for evidence, or is closed and disputed.',
      }),
      action: RecoveryAction,
      input: z
        .record(z.string(), z.unknown())
        .meta({
          'x-free-text': true,
          description: 'The whole input of the run, for supply_evidence and correct_input.',
        })
        .optional(),
      input_patch: InputPatch.optional(),
      note: freeText(2000).default(''),
      idempotency_key: IdempotencyKey,
    })
    .refine(({ input, input_patch }) => input === undefined || input_patch === undefined, {
      message: 'give input or input_patch',
    }),
  output: Recovery,
  handle: async ({ idempotency_key: _key, exception_id, ...asked }, context) => {
    const { actor, actorName } = moverOf(context)
    const recovery = {
      taskId: subjectOf(context),
      exceptionId: exception_id,
      ...asked,
      actor,
      actorName,
      decided: context.caller.kind === 'operator',
    }
    const recovered = await context.recoveries.recover(recovery, context.callId)
    if (recovered.status === 200) return answeredByService
    return { status: 202, body: recovered.body }
  },
})
