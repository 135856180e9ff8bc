import { z } from 'zod'
import { recoveryActions, type TaskExceptionCode, taskExceptions } from '#domain/tasks/exception.ts'
import { Digest, ReceiptId, Time } from '../fields.ts'
import { Receipt } from './receipts.ts'
import { Task, TaskId, TaskState } from './tasks.ts'

export const TaskExceptionId = z.string().regex(/^ex_[0-9a-f]{64}$/)
export const ExceptionCode = z.enum(Object.keys(taskExceptions) as [TaskExceptionCode])
export const ExceptionState = z.enum([
  'open',
  'recovery_requested',
  'replay_ready',
  'resolved',
  'abandoned',
])
export const RecoveryAction = z.enum(recoveryActions)

/** Why a task is stopped, and what resolves it. */
export const TaskException = z
  .strictObject({
    exception_id: TaskExceptionId,
    task_id: TaskId,
    code: ExceptionCode,
    detail: z.string(),
    state: ExceptionState,
    resume_state: TaskState.nullable().meta({
      description: 'Null: it does not stop the task, which waits for evidence.',
    }),
    allowed_recoveries: z.array(RecoveryAction),
    money_moved: z.enum(['no', 'yes', 'unknown']),
    receipt_id: ReceiptId,
    proposed_input_sha256: Digest.nullable().meta({
      description:
        'Of the input that an operator proposes. A recovery with exactly this input accepts it and needs no review.',
    }),
    declined_input: z
      .strictObject({ input_sha256: Digest, reason: z.string(), by: z.string(), at: Time })
      .nullable()
      .meta({ description: 'The last proposal that the owner of the task declined.' }),
    opened_at: Time,
    closed_at: Time.nullable(),
  })
  .meta({ id: 'TaskException' })

/** A request to recover a stopped task; `needs_review` while an operator has to decide. */
export const RecoveryRequest = z
  .strictObject({
    recovery_id: z.string().regex(/^rec_[0-9a-f]{64}$/),
    action: RecoveryAction,
    state: z.enum(['requested', 'approved', 'refused', 'done']),
    needs_review: z.boolean(),
    input_sha256: Digest.nullable(),
    requested_by: z.string(),
    requested_at: Time,
    decided_by: z.string().nullable(),
  })
  .meta({ id: 'RecoveryRequest' })

/** What a recovery led to. */
export const Recovery = z
  .strictObject({
    recovery_request: RecoveryRequest.nullable(),
    task: Task,
    exception: TaskException.nullable(),
    receipt: Receipt.nullable().meta({
      description: 'Of what was done; null while an operator has to decide.',
    }),
  })
  .meta({ id: 'Recovery' })
