import { z } from 'zod'
import { reportFormats } from '#domain/rails/rail.ts'

/** What a tier of a rail gets. */
export const TierTerms = z
  .strictObject({
    depth: z.string().meta({ description: 'What is done.' }),
    leaves_out: z.array(z.string()).meta({ description: 'Members that its result has not.' }),
    leaves_out_codes: z.array(z.string()).meta({
      description: 'Codes of findings and of advisory gaps that it has not.',
    }),
    rows_max: z
      .int()
      .nullable()
      .meta({ description: 'Rows or items of an input; null where it has no lists.' }),
    bytes_max: z.int().meta({ description: 'Of an input with its uploads.' }),
    reruns_max: z.int().meta({ description: 'Changes of the input of one task by its agent.' }),
    report_formats: z.array(z.enum(reportFormats)),
    turnaround_hours: z.int().meta({ description: 'The aim; work of higher tiers begins first.' }),
  })
  .meta({ id: 'TierTerms' })
