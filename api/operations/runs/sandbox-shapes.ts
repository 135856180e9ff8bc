import { z } from 'zod'
import { ResultContract } from '#domain/runs/return-package.ts'
import { IdempotencyKey } from '../../fields.ts'
import { Rail } from '../agents/shapes.ts'
import { postsOf } from '../callbacks/request-count.ts'
import { Receipt } from '../operators/receipt.ts'
import { CallbackUrl, TaskToken } from '../tasks/shapes.ts'
import { Run } from './shapes.ts'

/** What a run of the sandbox is asked for with. */
export const sandboxFields = {
  rail: Rail,
  input: z.record(z.string(), z.unknown()).optional().meta({
    'x-free-text': true,
    description:
      'As /schemas/rail-input-<rail>.v1.json describes it; without it, the sample of the rail.',
  }),
  callback_url: CallbackUrl.optional().meta({
    description: 'The demo receiver of this service, with a receiver name of your own.',
  }),
  idempotency_key: IdempotencyKey,
}

/** A run of the sandbox that has begun. */
export const sandboxStarted = {
  run: Run,
  status_token: TaskToken.meta({
    description: 'Reads the run, as X-Status-Token and in links; it also recovers it, if it stops.',
  }),
  callback_url: z.string().nullable(),
  receipts: z.array(Receipt),
  result_contract: ResultContract,
}

/** What every operation has that starts a run of the sandbox. */
export const sandboxStart = {
  access: 'public',
  limits: { bodyBytes: 1_048_576 },
  status: [202],
  errors: [
    'input_rejected',
    'evidence_mismatch',
    'callback_refused',
    'forbidden_material',
    'paused',
  ],
  uses: ({ callback_url, fault }: { callback_url?: string | undefined; fault?: string }) => ({
    tasks: 1,
    workflows: 3,
    posts: postsOf(callback_url ?? (fault === 'callback_failure' ? 'the demo receiver' : null)),
  }),
} as const
