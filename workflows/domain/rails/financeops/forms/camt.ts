import type { Form, FormRows, XmlElement } from '../../form.ts'
import { at, below, childrenOf, type MaybeElement, textAt, textsAt } from './elements.ts'
import { oneText, type StatementRows, said, statementRows, unitsOf } from './statement.ts'

const reports = ['Stmt', 'Rpt', 'Ntfctn']
const messages: Readonly<Record<string, string>> = {
  BkToCstmrStmt: 'camt.053',
  BkToCstmrAcctRpt: 'camt.052',
  BkToCstmrDbtCdtNtfctn: 'camt.054',
}

/** Statements, reports and notifications of an account (ISO 20022 camt.053, camt.052 and camt.054, versions 1 to 13). */
export const camt: Form = {
  name: 'CAMT.053, CAMT.052 or CAMT.054',
  source: 'ISO 20022, Bank-to-Customer Cash Management',
  example: 'camt053.v2.multi.statement.xml of genkgo/camt (MIT)',
  kind: 'xml',
  read: readCamt,
}

function readCamt(root: XmlElement): FormRows | undefined {
  const [message] = below(root, Object.keys(messages))
  if (message === undefined) return undefined
  const rows = statementRows()
  const accounts = childrenOf(message, ...reports).map((report) => {
    readReport(report, rows)
    return accountOf(report)
  })
  return rows.rows({
    message: messages[message.name] ?? message.name,
    account: [...new Set(accounts)].join(', '),
  })
}

const accountOf = (report: XmlElement): string =>
  textAt(report, 'Acct', 'Id', 'IBAN') ?? textAt(report, 'Acct', 'Id', 'Othr', 'Id') ?? 'account'

function readReport(report: XmlElement, rows: StatementRows): void {
  const account = accountOf(report)
  const sums = { CRDT: 0n, DBIT: 0n }
  const currencies = new Set<string | undefined>()
  for (const entry of childrenOf(report, 'Ntry')) {
    const status = textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts')
    const amount = amountAt(entry, 'Amt')
    if (status !== undefined && status !== 'BOOK') {
      rows.leaveOut(entry.line, `is not booked, but ${status}`)
      continue
    }
    const mark = markOf(entry)
    if (mark !== undefined) sums[mark] += amount?.units ?? 0n
    currencies.add(amount?.currency)
    readEntry(entry, account, rows)
  }
  compareSums(report, { account, sums, currencies }, rows)
}

type Sums = {
  account: string
  sums: Record<'CRDT' | 'DBIT', bigint>
  currencies: ReadonlySet<string | undefined>
}

/** Opening balance and entries against the closing balance, and the sums that the report states. */
function compareSums(report: XmlElement, { account, sums, currencies }: Sums, rows: StatementRows) {
  const credit = textAt(report, 'TxsSummry', 'TtlCdtNtries', 'Sum')
  const debit = textAt(report, 'TxsSummry', 'TtlDbtNtries', 'Sum')
  const isWhole = childrenOf(report, 'Ntry').length > 0
  if (isWhole) rows.compare(`Credits of ${account}`, unitsOf(credit), sums.CRDT)
  if (isWhole) rows.compare(`Debits of ${account}`, unitsOf(debit), sums.DBIT)
  const opening = balanceOf(report, ['OPBD', 'PRCD'])
  const closing = balanceOf(report, ['CLBD'])
  if (opening === undefined || closing === undefined) return
  const own = new Set([...currencies, opening.currency, closing.currency])
  if (own.size > 1)
    rows.find('statement_differs', `Balances and entries of ${account} are in several currencies.`)
  else
    rows.compare(
      `Closing balance of ${account}`,
      closing.units,
      opening.units + sums.CRDT - sums.DBIT,
    )
}

function balanceOf(report: XmlElement, codes: readonly string[]) {
  for (const code of codes)
    for (const balance of childrenOf(report, 'Bal')) {
      if (textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') !== code) continue
      const amount = amountAt(balance, 'Amt')
      const mark = markOf(balance)
      if (amount === undefined || mark === undefined) return undefined
      return { ...amount, units: signed(amount.units, mark) }
    }
  return undefined
}

type Mark = 'CRDT' | 'DBIT'
function markOf(element: XmlElement): Mark | undefined {
  const mark = textAt(element, 'CdtDbtInd')
  return mark === 'CRDT' || mark === 'DBIT' ? mark : undefined
}
const signed = (units: bigint, mark: Mark) => (mark === 'CRDT' ? units : -units)

function amountAt(element: MaybeElement, ...path: string[]) {
  const amount = at(element, ...path)
  const units = unitsOf(amount?.text)
  return units === undefined ? undefined : { units, currency: amount?.attributes['Ccy'] }
}

/** One row; of a batch whose transactions come to its amount, one row for each of them. */
function readEntry(entry: XmlElement, account: string, rows: StatementRows): void {
  const amount = amountAt(entry, 'Amt')
  const mark = markOf(entry)
  if (amount === undefined || mark === undefined)
    return void rows.malformed(entry.line, 'states no amount, or not whether it is a credit')
  const bankReference = textAt(entry, 'AcctSvcrRef')
  const booked = { account, paid_at: dayAt(entry, 'BookgDt') ?? dayAt(entry, 'ValDt') }
  const details = childrenOf(entry, 'NtryDtls').flatMap((one) => childrenOf(one, 'TxDtls'))
  const parts = details.flatMap((detail) => partOf(detail, mark, amount.currency) ?? [])
  const whole = signed(amount.units, mark)
  const isSplit = details.length > 1 && parts.length === details.length
  const sum = parts.reduce((total, { units }) => total + units, 0n)
  if (isSplit) rows.compare(`Transactions of ${bankReference ?? account}`, whole, sum)
  if (!isSplit || sum !== whole) {
    const [only, another] = details
    const single = another === undefined ? only : undefined
    rows.add({
      ...booked,
      line: entry.line,
      bankReference: bankReference ?? textAt(single, 'Refs', 'AcctSvcrRef'),
      units: whole,
      currency: amount.currency,
      counterparty: partyOf(single, mark),
      reference: oneText(...details.map(referenceOf), ...moreOf(entry)),
    })
    return
  }
  for (const [index, { detail, units }] of parts.entries()) {
    const own = textAt(detail, 'Refs', 'AcctSvcrRef')
    const ofBatch = bankReference === undefined ? undefined : `${bankReference}/${index + 1}`
    rows.add({
      ...booked,
      line: detail.line,
      bankReference: own === bankReference ? ofBatch : (own ?? ofBatch),
      units,
      currency: amount.currency,
      counterparty: partyOf(detail, units < 0n ? 'DBIT' : 'CRDT'),
      reference: oneText(referenceOf(detail), ...moreOf(entry)),
    })
  }
}

/** A transaction with its amount, where it states one in the currency of the entry. */
function partOf(detail: XmlElement, mark: Mark, currency: string | undefined) {
  const amounts = [
    amountAt(detail, 'Amt'),
    amountAt(detail, 'AmtDtls', 'TxAmt', 'Amt'),
    amountAt(detail, 'AmtDtls', 'InstdAmt', 'Amt'),
  ]
  const own = amounts.find((amount) => amount !== undefined && amount.currency === currency)
  return own === undefined
    ? undefined
    : { detail, units: signed(own.units, markOf(detail) ?? mark) }
}

const dayAt = (entry: XmlElement, name: string): string | undefined =>
  textAt(entry, name, 'Dt')?.slice(0, 10) ?? textAt(entry, name, 'DtTm')?.slice(0, 10)

/** Who paid, or was paid: the ultimate party where it is named, such as the customer of a factor. */
function partyOf(detail: MaybeElement, mark: Mark): string | undefined {
  const sides = mark === 'CRDT' ? ['UltmtDbtr', 'Dbtr'] : ['UltmtCdtr', 'Cdtr']
  for (const side of sides) {
    const party = at(detail, 'RltdPties', side)
    const name = textAt(party, 'Nm') ?? textAt(party, 'Pty', 'Nm')
    if (name !== undefined) return name
  }
  return undefined
}

function referenceOf(detail: XmlElement): string | undefined {
  const remittance = at(detail, 'RmtInf')
  const structured = childrenOf(remittance, 'Strd').flatMap((one) => [
    ...textsAt(one, 'RfrdDocInf', 'Nb'),
    textAt(one, 'CdtrRefInf', 'Ref'),
    ...childrenOf(one, 'AddtlRmtInf').map(({ text }) => text),
  ])
  const reasons = childrenOf(detail, 'RtrInf').flatMap((one) => [
    'RETURN',
    textAt(one, 'Rsn', 'Cd') ?? textAt(one, 'Rsn', 'Prtry'),
    textAt(one, 'AddtlInf'),
  ])
  return oneText(
    ...childrenOf(remittance, 'Ustrd').map(({ text }) => text),
    ...structured,
    said(textAt(detail, 'Refs', 'EndToEndId')),
    ...reasons,
    textAt(detail, 'AddtlTxInf'),
  )
}

function moreOf(entry: XmlElement): (string | undefined)[] {
  const isReversal = textAt(entry, 'RvslInd') === 'true'
  return [isReversal ? 'REVERSAL' : undefined, textAt(entry, 'AddtlNtryInf')]
}
