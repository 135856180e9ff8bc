import { oneText, said } from './statement.ts'

export type Details = { counterparty?: string | undefined; reference?: string | undefined }

/** The lines of a field 86; a bank breaks them after so many characters, between words or in one. */
export function readDetails(lines: readonly string[]): Details {
  const [first = ''] = lines
  if (/^\s*\d{3}([?<>@^~|])\d\d/.test(first)) return readSubfields(lines.join('').trim())
  const text = joined(lines)
  return new RegExp(`^\\s*/(${tags})/`).test(text) ? readTags(text) : { reference: oneText(text) }
}

/** A line is full with 65 characters, or 64 in some files, and then broken in a word. */
function joined(lines: readonly string[]): string {
  return lines.reduce((text, line, index) => {
    const isFull = (lines[index - 1]?.length ?? 0) >= 64
    return text + (index === 0 || isFull ? '' : ' ') + line
  }, '')
}

/** A subfield of 27 characters continues in the next one, in the same word. */
const broken = (value: string) => (value.length >= 27 ? value : `${value} `)

const sepaKeys = 'EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|COAM|OAMT|PURP|IBAN|BIC|MDAT|RREF'

/** Subfields of German banks (DFÜ-Abkommen, annex 3): `166?00TEXT?20EREF+…?32NAME`. */
function readSubfields(text: string): Details {
  const sign = text.charAt(3)
  const parts = text.slice(3).split(sign)
  const fields = parts.map((part): [code: string, value: string] =>
    /^\d\d/.test(part) ? [part.slice(0, 2), part.slice(2)] : ['', part],
  )
  const join = (wanted: RegExp) =>
    fields.flatMap(([code, value]) => (wanted.test(code) ? [broken(value)] : [])).join('')
  const purpose = join(/^(2\d|6[0-3])$/)
  const keys = new RegExp(`(?<![A-Z])(${sepaKeys})\\+`, 'g')
  const [before = '', ...pairs] = purpose.split(keys)
  const values = new Map<string, string>()
  for (let index = 0; index < pairs.length; index += 2)
    values.set(pairs[index] ?? '', pairs[index + 1] ?? '')
  return {
    counterparty: oneText(join(/^3[23]$/)),
    reference: oneText(
      before,
      values.get('SVWZ'),
      said(values.get('EREF')),
      said(values.get('KREF')),
      join(/^00$/),
    ),
  }
}

const tags =
  'EREF|PREF|IREF|REMI|BENM|ORDP|NAME|IBAN|BIC|CSID|MARF|RTRN|TRTP|ISDT|CNTP|TRCD|PURP|ULTD|ULTC|ULTB|OCMT|CHGS|SUBJ|CREF|DUEDT|ADDR|ID'

/** Tags of Dutch and Belgian banks and of SWIFT: `/EREF/…/ORDP//NAME/…/REMI/…`. */
function readTags(text: string): Details {
  const parts = text.trim().split(new RegExp(`/(${tags})/`))
  const values = new Map<string, string>()
  for (let index = 1; index < parts.length; index += 2) {
    const [tag = '', value = ''] = [parts[index], parts[index + 1]]
    if (!values.has(tag)) values.set(tag, value.replace(/^\/+|\/+$/g, '').trim())
  }
  const [, , partner] = values.get('CNTP')?.split('/') ?? []
  const remittance = values
    .get('REMI')
    ?.replace(/^(USTD|STRD)\/+/, '')
    .replace(/^CUR\/+/, '')
  const returned = values.get('RTRN')
  return {
    counterparty: oneText(values.get('NAME') ?? partner),
    reference: oneText(
      remittance,
      said(values.get('EREF')),
      values.get('SUBJ'),
      returned === undefined ? undefined : `RETURN ${returned}`,
    ),
  }
}
