import type { FormRows } from '../../form.ts'
import { decimalText } from '../../values/amounts.ts'
import type { List } from '../intervals.ts'
import type { Reading } from '../schema.ts'

type Mutable<List> = List extends readonly (infer Item)[] ? Item[] : never

/** The rows of a file as they are read, and what is noted of them. */
export function rowsSoFar() {
  const rows: Mutable<FormRows['rows']> = []
  const leftOut: Mutable<FormRows['leftOut']> = []
  let estimated = 0
  return {
    add: (line: number, value: Reading) => rows.push({ line, value }),
    refuse: (line: number, malformed: string) => rows.push({ line, malformed }),
    leave: (line: number, reason: string) => leftOut.push({ line, reason }),
    estimate: () => {
      estimated += 1
    },
    done(says: FormRows['says'], findings: FormRows['findings'] = []): FormRows {
      const detail = `readings that the file calls estimated or substituted, which count: ${estimated}`
      const all = estimated === 0 ? findings : [{ code: 'estimated_readings', detail }, ...findings]
      return { rows, says, leftOut, findings: all }
    },
  }
}
export type RowsSoFar = ReturnType<typeof rowsSoFar>

export const otherMeter = (name: string): string =>
  `is of another meter or channel (${name}): send one meter and channel a list`
export const otherList = (list: List): string =>
  list === 'readings'
    ? 'is what was fed in, for the list exports'
    : 'is what was drawn, for the list readings'

/** `577` and −3 → `0.577`: a whole number times a power of ten. */
export function timesTen(whole: string, power: number): string {
  return power < 0
    ? decimalText(BigInt(whole), -power)
    : decimalText(BigInt(whole) * 10n ** BigInt(power), 0)
}

const decimal = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?$/

/** `.50` → `0.5`: a number with a point as a row states it; undefined for what is none. */
export function plainNumber(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = ''] = decimal.exec(text) ?? []
  if (!/[0-9]/.test(text) || !decimal.test(text)) return undefined
  const places = fraction.replace(/0+$/, '')
  const digits = `${whole === '' ? '0' : whole}${places === '' ? '' : `.${places}`}`
  return sign === '-' && digits !== '0' ? `-${digits}` : digits
}
