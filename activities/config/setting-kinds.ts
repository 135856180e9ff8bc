import { z } from 'zod'

/** The kinds of settings that several files have, each with its default. */
export const text = (fallback = '') => z.string().default(fallback)
export const atLeast = (least: number, fallback: number) =>
  z.coerce.number().int().min(least).default(fallback)
export const between = (least: number, most: number, fallback: number) =>
  z.coerce.number().int().min(least).max(most).default(fallback)
export const count = (fallback: number) => atLeast(0, fallback)

/** What is between commas, without spaces around it. */
export const list = z.string().transform((all) =>
  all
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
