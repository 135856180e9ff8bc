import { z } from 'zod'
import { Usage } from '../../fields.ts'
import { Receipt } from '../operators/receipt.ts'

/** What a GET shows without anything having happened. */
export const sampled = {
  sample: z.literal(true),
  usage: Usage.extract(['synthetic']),
  fixture_id: z.string(),
  code_version: z.string(),
  persisted: z.literal(false),
  receipt: Receipt,
}
