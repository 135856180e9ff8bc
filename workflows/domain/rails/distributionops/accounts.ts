import { z } from 'zod'

/** Countries of the SEPA schemes (EPC409-09) by the first letters of their IBANs. */
const sepaCountries = new Set(
  (
    'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM ' +
    'VA'
  ).split(' '),
)
const ibanForm = /^[A-Za-z]{2}\d{2}(?: ?[0-9A-Za-z]){11,30}$/

/** An IBAN (ISO 13616) in its electronic form, without blanks and in capitals. */
export const ibanOf = (text: string): string => text.replaceAll(' ', '').toUpperCase()

/** Whether a text in the form of an IBAN leaves the remainder 1 by ISO 7064 MOD 97-10. */
function hasCheckDigits(text: string): boolean {
  const iban = ibanOf(text)
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97
  }
  return rest === 1
}

/** An IBAN as people write it: blanks between its characters and small letters are taken. */
export const Iban = z
  .string()
  .regex(ibanForm, {
    error: 'an IBAN has two letters, two check digits and 11 to 30 letters and digits',
    abort: true,
  })
  .refine(hasCheckDigits, 'the check digits of this IBAN are wrong')

/** A BIC (ISO 9362) of 8 or 11 characters. */
export const Bic = z.string().regex(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/)

export const isInSepa = (iban: string): boolean => sepaCountries.has(ibanOf(iban).slice(0, 2))
