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

/** The same fields in a body, as numbers. */
export const pageInBody = (offsetMax: number) => ({
  offset: z.int().min(0).max(offsetMax).default(0),
  limit: z.int().min(1).max(100).default(25),
})

/** What the answer of a list says of its page, in addition to the items. */
export const pageAnswer = { offset: z.int(), limit: z.int(), total: z.int() }

/** The answer of a list of these. */
export const pageOfItems = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({ items: z.array(item), ...pageAnswer })

type Asked = { offset?: string | undefined; limit?: string | undefined }
/** The page that is asked for. */
export const pageOf = ({ offset, limit }: Asked) => ({
  offset: Number(offset ?? 0),
  limit: Number(limit ?? 25),
})
