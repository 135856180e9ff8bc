import { z } from 'zod'
import { ReturnPackage } from '#domain/runs/return-package.ts'
import { operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { VerificationPacket } from '../receipts/verify-receipt.ts'
import { Check } from '../tasks/shapes.ts'
import { RunId } from './shapes.ts'

const Report = z.strictObject({
  verdict: z.enum(['proven', 'refused', 'indeterminate']),
  checks: z.array(Check),
  keys: z.array(
    z.strictObject({
      kid: z.string(),
      standing: z.enum(['published', 'active', 'retired', 'revoked']),
    }),
  ),
})

/** A package with our judgement of it. */
export const judgedShape = {
  return_package: ReturnPackage,
  completion: Report.meta({
    description:
      'Our own judgement of the package: each digest, the proof hash, and the signature.',
  }),
  verification_packet: VerificationPacket.meta({
    description: 'Of the attestation receipt of the run.',
  }),
}
/** Our judgement of the record of a task. */
export const RecordReport = Report.meta({
  description:
    'Our own judgement of the record of the task: its ledger, documents, receipts and result.',
})

/** POST /api/agent-use, mode `fetch_return_package`: as JSON, or with `Accept: application/zip` as its files. */
export const fetchReturnPackage = operation({
  id: 'fetch-return-package',
  summary:
    'Fetch the result of an attested run with its proof; include_files adds the texts of its files.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'fetch_return_package',
  access: ['agent', 'status'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk', 'wt'], signed: false },
  errors: ['not_found', 'not_ready', 'wrong_state'],
  idempotency: { kind: 'read' },
  input: z.strictObject({
    mode: z.literal('fetch_return_package'),
    run_id: RunId,
    include_files: z.boolean().default(false),
  }),
  output: z
    .strictObject({
      ...judgedShape,
      next_actions: z
        .array(
          z.strictObject({
            action: z.enum(['fetch_receipt', 'verify_receipt', 'record_receipt']),
            method: z.enum(['GET', 'POST']),
            url: z.url(),
            purpose: z.string(),
          }),
        )
        .meta({
          description: 'What the attestation receipt of the run is good for, with its calls.',
        }),
      file_contents: z.record(z.string(), z.string()).nullable().meta({
        description:
          'With include_files: the files of the zip by name, as the very texts that were digested; report.html, README.md and tables/*.csv are for people.',
      }),
    })
    .meta({ id: 'FetchedReturnPackage' }),
  asFiles: ({ return_package }) => return_package,
  handle: async ({ run_id, include_files }, context) => {
    const { attestation, ...fetched } = await context.runs.returnPackage(moverOf(context), run_id)
    const file_contents = include_files
      ? await context.runs.packageTexts(fetched.return_package)
      : null
    const verification_packet = await context.receipts.verify({ receipt_id: attestation })
    return { body: { ...fetched, file_contents, verification_packet } }
  },
})
