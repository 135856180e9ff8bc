import { z } from 'zod'
import { plainTextPattern } from './plain-text.ts'

/** 1 to `max` characters of what a provider calls its things: Postgres and canonical JSON take no NUL and no half of a character. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(plainTextPattern)
    .refine((value) => !/\p{Cs}/u.test(value), 'holds a lone surrogate')
