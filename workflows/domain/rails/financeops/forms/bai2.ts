import type { Form, FormRows } from '../../form.ts'
import { minorPlaces } from '../../values/exchange.ts'
import { compactDay, type StatementRows, said, statementRows } from './statement.ts'

/** Balances and entries of accounts at North American banks. */
export const bai2: Form = {
  name: 'BAI2',
  source: 'BAI, Cash Management Balance Reporting Specifications, version 2',
  example: 'sample1.txt and sample2.txt of moov-io/bai2 (Apache-2.0)',
  kind: 'text',
  read: readBai2,
}

/** A record with its continuations; fields end at a comma or a line. `lines` counts what the totals count. */
type BaiRecord = { line: number; code: string; text: string; lines: number }

function readBai2(text: string): FormRows | undefined {
  if (!/^01,[^,\n]*,[^,\n]*,\d{6},/.test(text.trimStart().slice(0, 200))) return undefined
  const rows = statementRows()
  const file = { state: emptyFile(), rows }
  for (const record of recordsOf(text, rows)) readRecord(record, file)
  return rows.rows({ accounts: [...file.state.accounts].join(', ') })
}

function recordsOf(text: string, rows: StatementRows): BaiRecord[] {
  const records: BaiRecord[] = []
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trimEnd()
    if (line === '') continue
    const code = /^(01|02|03|16|49|88|98|99),/.exec(line)?.[1]
    const last = records.at(-1)
    const body = line.slice(3).replace(/\/$/, '')
    if (code === undefined && last === undefined) rows.malformed(index + 1, 'is no BAI2 record')
    else if (code === undefined && last !== undefined) last.text += `\n${line.replace(/\/$/, '')}`
    else if (code === '88' && last !== undefined) {
      last.text += `\n${body}`
      last.lines += 1
    } else records.push({ line: index + 1, code: code ?? '', text: body, lines: 1 })
  }
  return records
}

type Total = { amount: bigint; lines: number; parts: number }
const noTotal = (): Total => ({ amount: 0n, lines: 0, parts: 0 })
const emptyFile = () => ({
  accounts: new Set<string>(),
  account: '',
  currency: 'USD',
  groupCurrency: 'USD',
  day: undefined as string | undefined,
  ofAccount: noTotal(),
  ofGroup: noTotal(),
  ofFile: noTotal(),
  /** Amounts of the account by the code of their type. */
  stated: new Map<string, bigint>(),
  credits: 0n,
  debits: 0n,
  entries: 0,
})
type File = { state: ReturnType<typeof emptyFile>; rows: StatementRows }

function readRecord(record: BaiRecord, file: File): void {
  const { state } = file
  const fields = record.text.split(/[,\n]/)
  for (const total of [state.ofAccount, state.ofGroup, state.ofFile]) total.lines += record.lines
  if (record.code === '02') {
    state.day = compactDay(fields[3])
    state.groupCurrency = fields[5] || 'USD'
    state.ofGroup = { ...noTotal(), lines: record.lines }
  } else if (record.code === '03') readAccount(record, fields, file)
  else if (record.code === '16') readEntry(record, file)
  else if (record.code === '49') closeAccount(fields, file)
  else if (record.code === '98') {
    compareTotal('group', fields, { total: state.ofGroup, file })
    addTo(state.ofFile, state.ofGroup.amount)
  } else if (record.code === '99') compareTotal('file', fields, { total: state.ofFile, file })
}

function addTo(total: Total, amount: bigint): void {
  total.amount += amount
  total.parts += 1
}

const minorOf = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?\d{1,18}$/.test(text.trim()) ? BigInt(text.trim()) : undefined

function readAccount({ lines }: BaiRecord, fields: string[], { state }: File): void {
  const [account = '', currency, ...types] = fields
  Object.assign(state, { account, currency: currency || state.groupCurrency })
  Object.assign(state, { ofAccount: { ...noTotal(), lines }, stated: new Map() })
  Object.assign(state, { credits: 0n, debits: 0n, entries: 0 })
  state.accounts.add(account)
  for (let index = 0; index < types.length; ) {
    const [code = '', text] = types.slice(index)
    const amount = minorOf(text)
    if (amount !== undefined) {
      state.stated.set(code, amount)
      state.ofAccount.amount += amount
    }
    index += 3 + fundsFields(types.slice(index + 3))
  }
}

/** How many fields the kind of funds takes, with its own. */
function fundsFields([kind, count]: string[]): number {
  if (kind === 'S') return 4
  if (kind === 'V') return 3
  return kind === 'D' ? 2 + 2 * Number(count ?? 0) : 1
}

/** Credits and debits by the code of their type; others are of a loan or of the bank alone. */
function signOf(code: string): 1n | -1n | undefined {
  const number = Number(code)
  if ((number >= 100 && number < 400) || (number >= 920 && number < 960)) return 1n
  return (number >= 400 && number < 700) || (number >= 960 && number < 1_000) ? -1n : undefined
}

function readEntry({ line, text }: BaiRecord, { state, rows }: File): void {
  const parts = text.split(/([,\n])/)
  const fields = parts.filter((_, index) => index % 2 === 0)
  const [code = '', amountText] = fields
  const amount = minorOf(amountText)
  if (amount !== undefined) state.ofAccount.amount += amount
  if (code === '890') return void rows.leaveOut(line, 'is information without an amount')
  const sign = signOf(code)
  if (sign === undefined)
    return void rows.malformed(line, `type ${code} is neither a credit nor a debit`)
  const begin = 2 + fundsFields(fields.slice(2))
  const [bankReference, customerReference] = fields.slice(begin)
  const words = parts.slice(2 * (begin + 2)).map((part) => (part === '\n' ? ' ' : part))
  if (sign === 1n) state.credits += amount ?? 0n
  else state.debits += amount ?? 0n
  state.entries += 1
  rows.add({
    line,
    account: state.account,
    bankReference,
    units: amount === undefined ? undefined : sign * unitsOfMinor(amount, state.currency),
    currency: state.currency,
    paid_at: state.day,
    reference: [words.join(''), said(customerReference)].join(' '),
  })
}

const unitsOfMinor = (amount: bigint, currency: string): bigint =>
  amount * 10n ** BigInt(8 - minorPlaces(currency))

function closeAccount(fields: string[], file: File): void {
  const { state, rows } = file
  compareTotal('account', fields, { total: state.ofAccount, file })
  addTo(state.ofGroup, state.ofAccount.amount)
  if (state.entries === 0) return
  const units = (amount: bigint | undefined) =>
    amount === undefined ? undefined : unitsOfMinor(amount, state.currency)
  const { account, stated, credits, debits } = state
  rows.compare(`Credits of ${account}`, units(stated.get('100')), units(credits))
  rows.compare(`Debits of ${account}`, units(stated.get('400')), units(debits))
  const opening = stated.get('010')
  if (opening !== undefined)
    rows.compare(
      `Closing balance of ${account}`,
      units(stated.get('015')),
      units(opening + credits - debits),
    )
}

/** Amounts, parts and records that the record at the end of an account, a group or the file states. */
function compareTotal(
  what: string,
  [amountText, ...counts]: string[],
  { total, file }: { total: Total; file: File },
): void {
  const name = what === 'file' ? 'the file' : `the ${what} ${file.state.account}`
  const [parts, lines] = what === 'account' ? [undefined, counts[0]] : counts
  const stated = minorOf(amountText)
  const differ = (kind: string, one: bigint | undefined, other: bigint | number) => {
    if (one === undefined || one === BigInt(other)) return
    const detail = `${kind} of ${name}: the file states ${one}, and there are ${other}.`
    file.rows.find('statement_differs', detail)
  }
  differ('Control total', stated, total.amount)
  differ('Parts', minorOf(parts), total.parts)
  differ('Records', minorOf(lines), total.lines)
}
