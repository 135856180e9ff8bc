import type { Language } from '../stems.ts'

/** Terms that questionnaires and documents use for one thing, in English and in German; a term is one word or several. */
export type Group = { name: string; weight: number } & Record<Language, readonly string[]>

export const group = (name: string, en: string, de: string, weight = 1): Group => ({
  name,
  weight,
  en: en === '' ? [] : en.split(', '),
  de: de === '' ? [] : de.split(', '),
})
/** The weight of verbs and frames, which say little by themselves. */
export const WEAK_WEIGHT = 0.1
export const weak = (name: string, en: string, de: string) => group(name, en, de, WEAK_WEIGHT)
