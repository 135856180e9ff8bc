import { z } from 'zod'

const limit = z
  .string()
  .regex(/^([1-9][0-9]?|100)$/)
  .optional()
  .meta({ description: '25 unless given.' })

/** The fields of a page of a list: 25 items unless given, at most 100, from an offset of so many digits. */
export const pageFields = (offsetDigits: number) => ({
  offset: z
    .string()
    .regex(new RegExp(`^(0|[1-9][0-9]{0,${offsetDigits - 1}})$`))
    .optional(),
  limit,
})

type Asked = { offset?: string | undefined; limit?: string | undefined }
/** The page that is asked for. */
export const pageOf = ({ offset, limit }: Asked) => ({
  offset: Number(offset ?? 0),
  limit: Number(limit ?? 25),
})
