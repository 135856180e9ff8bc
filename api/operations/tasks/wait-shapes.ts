import { z } from 'zod'
import { waitKinds } from '#domain/core/wait.ts'
import { gapKinds } from '#domain/rails/rail.ts'
import { Time } from '../../fields.ts'

const Gap = z
  .strictObject({
    code: z.string(),
    kind: z.enum(gapKinds).meta({ description: 'needed: the run stops for it.' }),
    detail: z.string().meta({ description: 'Why it is one.' }),
    filled_by: z.string().meta({ description: 'What would fill it.' }),
    pointers: z.array(z.string()).meta({
      description: 'RFC 6901 pointers into the input; the first says where it is filled.',
    }),
  })
  .meta({ id: 'Gap', description: 'What the input lacks, and where.' })

const RequiredAction = z
  .strictObject({
    by: z.enum(['agent', 'operator']),
    call: z.string().nullable().meta({ description: 'Method and path.' }),
    arguments: z
      .record(z.string(), z.unknown())
      .meta({ description: '<…> marks what the caller fills in.' }),
    choices: z
      .array(z.string())
      .meta({ description: 'Other values of action or decision that are allowed.' }),
    command: z.string().nullable().meta({ description: 'What an operator can type instead.' }),
  })
  .meta({ id: 'RequiredAction', description: 'The call that ends the wait, with its arguments.' })

/** Why a task, run or payout waits; every view shows the same reason. */
export const waitShape = {
  waiting_for: z.array(z.enum(waitKinds)),
  waiting_since: Time.nullable(),
  gaps: z.array(Gap).meta({
    description:
      'The first 25 that the run found, needed ones before others, also while it waits for nothing.',
  }),
  required_action: RequiredAction.nullable().meta({ description: 'Null where no one has to act.' }),
  next_action: z.string(),
}
