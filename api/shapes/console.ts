import { z } from 'zod'
import { Time, text } from '../fields.ts'

/** What leaves only a part of what waits. */
export const waitingFields = {
  older_than_seconds: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/)
    .optional()
    .meta({ description: 'Only what has waited for at least so long.' }),
  min_amount_usd: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/)
    .optional()
    .meta({ description: 'Only with at least so much money at stake.' }),
}

export const waitingOf = ({
  older_than_seconds: seconds,
  min_amount_usd: minUsd,
}: {
  older_than_seconds?: string | undefined
  min_amount_usd?: string | undefined
}) => ({ olderThanSeconds: seconds === undefined ? undefined : Number(seconds), minUsd })

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
