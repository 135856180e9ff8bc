import { z } from 'zod'
import { uploadTypes } from '#domain/rails/documents.ts'
import { Digest, Time } from '../../fields.ts'

export const inputMediaTypes = uploadTypes

/** A file that an agent uploaded for its runs. */
export const StoredInput = z
  .strictObject({
    sha256: Digest,
    byte_length: z.int(),
    media_type: z.enum(inputMediaTypes),
    stored_at: Time,
    kept_until: Time.nullable().meta({
      description: 'When it may be removed; null while a task uses it.',
    }),
  })
  .meta({ id: 'StoredInput' })
