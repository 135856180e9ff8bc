import { z } from 'zod'
import { Time, text } from '../../fields.ts'

/** A page of a list: 25 items unless given, at most 100. */
export const pageFields = {
  offset: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,4})$/)
    .optional(),
  limit: z
    .string()
    .regex(/^([1-9][0-9]?|100)$/)
    .optional()
    .meta({ description: '25 unless given.' }),
}

export const pageOf = ({
  offset,
  limit,
}: {
  offset?: string | undefined
  limit?: string | undefined
}) => ({
  offset: Number(offset ?? 0),
  limit: Number(limit ?? 25),
})

/** Free text of a search. */
export const SearchText = text(1, 128)

export const Outcome = z
  .strictObject({
    id: z.string(),
    state: z.string().nullable().meta({ description: 'The state that the act led to.' }),
    receipt_id: z.string().nullable(),
    refused: z
      .strictObject({ code: z.string(), detail: z.string() })
      .nullable()
      .meta({ description: 'Why nothing was done.' }),
  })
  .meta({ id: 'ActOutcome' })

export const Session = z
  .strictObject({
    operator_id: z.string(),
    name: z.string(),
    expires_at: Time.nullable().meta({ description: 'Null for a call without a session.' }),
  })
  .meta({ id: 'OperatorSession' })
