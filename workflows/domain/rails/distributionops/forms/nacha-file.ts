import type { Form, FormRows } from '../../form.ts'

type Row = FormRows['rows'][number]
type Totals = { entries: number; hash: bigint; credits: bigint; debits: bigint }

const RECORD_CHARS = 94
/** Classes whose entry record has the name and the account in the common places. */
const classes = new Set(['CCD', 'PPD', 'WEB', 'TEL'])
/** Transaction codes: credits to an account, credits of nothing that test it, and debits. */
const credits: Readonly<Record<string, string>> = { '22': 'checking', '32': 'savings' }
const prenotes = new Set(['23', '28', '33', '38'])
const debits = new Set(['27', '37'])

const none = (): Totals => ({ entries: 0, hash: 0n, credits: 0n, debits: 0n })
const centsOf = (digits: string): bigint => BigInt(/^\d+$/.test(digits) ? digits : '0')

/** The credits of a NACHA file, each by its trace number, held against the totals of its batches and of the file. */
export const nachaForm: Form = {
  name: 'NACHA',
  source: 'Nacha Operating Rules, appendix three (ACH record formats)',
  example: 'moov-io/ach test/testdata/flattenBatchesMultipleBatchHeaders.ach (Apache-2.0)',
  kind: 'text',
  read(text) {
    const lines = text.split(/\r?\n/)
    if (!/^101[ \d]{10}.{10}\d{6}[ \d]{4}[A-Z0-9]094101/.test(lines[0] ?? '')) return undefined
    const read = reading()
    for (const [at, line] of lines.entries()) read.take(line, at + 1)
    return read.close()
  },
}

function reading() {
  const rows: Row[] = []
  const leftOut: FormRows['leftOut'][number][] = []
  const findings: FormRows['findings'][number][] = []
  const says: Record<string, string> = {}
  let [batch, whole, kind] = [none(), none(), '']
  const controls: Record<string, (record: string, line: number) => void> = {
    '1': (record) => {
      says['company'] = record.slice(63, 86).trim()
      says['bank'] = record.slice(40, 63).trim()
    },
    '5': (record) => {
      batch = none()
      kind = record.slice(50, 53)
      says['description'] ??= record.slice(53, 63).trim()
    },
    '6': (record, line) => {
      count(record, [batch, whole])
      const code = record.slice(1, 3)
      if (prenotes.has(code))
        leftOut.push({ line, reason: 'an entry of nothing that tests an account' })
      else if (debits.has(code)) leftOut.push({ line, reason: 'a debit, which pays no recipient' })
      else rows.push(entryOf(record, line, kind))
    },
    '7': (record, line) => {
      for (const totals of [batch, whole]) totals.entries += 1
      const last = rows.at(-1)
      const isItsOwn = record.startsWith('705') && last?.line === line - 1 && 'value' in last
      const note = record.slice(3, 83).trim()
      if (isItsOwn && note !== '') last.value['remittance'] = note
    },
    '8': (record) => findings.push(...against(record.slice(4), batch, 'its batch', 6)),
    '9': (record) => {
      if (!/^9+$/.test(record)) findings.push(...against(record.slice(13), whole, 'the file', 8))
    },
  }
  return {
    take(record: string, line: number) {
      if (record.trim() === '') return
      const control = controls[record.charAt(0)]
      if (record.length !== RECORD_CHARS || control === undefined)
        rows.push({ line, malformed: `is no record of ${RECORD_CHARS} characters` })
      else control(record, line)
    },
    close: (): FormRows => ({ rows, says, leftOut, findings }),
  }
}

function count(record: string, all: readonly Totals[]): void {
  const amount = centsOf(record.slice(29, 39))
  const isDebit = /[6-9]/.test(record.charAt(2))
  for (const totals of all) {
    totals.entries += 1
    totals.hash += centsOf(record.slice(3, 11))
    if (isDebit) totals.debits += amount
    else totals.credits += amount
  }
}

function entryOf(record: string, line: number, kind: string): Row {
  const account_type = credits[record.slice(1, 3)]
  if (!classes.has(kind)) return { line, malformed: `is of the class ${kind}, which is not read` }
  if (account_type === undefined)
    return { line, malformed: `has the transaction code ${record.slice(1, 3)}, which is no credit` }
  const amount = record.slice(29, 39)
  if (!/^\d{10}$/.test(amount)) return { line, malformed: 'has no amount' }
  const name = record.slice(54, 76).trim()
  const value = {
    id: record.slice(79).trim(),
    ...(name === '' ? {} : { name }),
    amount_minor: Number(amount),
    routing_number: record.slice(3, 12),
    account_number: record.slice(12, 29).trim(),
    account_type,
    currency: 'USD',
  }
  return { line, value }
}

/** A control record holds the number of its entries, their hash, the debits and the credits, in this order. */
function against(stated: string, found: Totals, of: string, countDigits: number) {
  const numbers = [
    ['entries', countDigits, BigInt(found.entries)],
    ['hash', 10, found.hash % 10n ** 10n],
    ['debits', 12, found.debits],
    ['credits', 12, found.credits],
  ] as const
  let at = 0
  return numbers.flatMap(([name, digits, value]) => {
    const read = centsOf(stated.slice(at, at + digits))
    at += digits
    if (read === value) return []
    const detail = `the control of ${of} states ${name} of ${read}, and its entries have ${value}`
    return [{ code: 'totals_differ', detail }]
  })
}
