import type { Form, FormRows, XmlElement } from '../../form.ts'
import { at, below, childrenOf, type MaybeElement, textAt } from './elements.ts'
import { amountOf, compactDay, oneText, unitsOf } from './statement.ts'

/** Invoices and credit notes in UBL, also as Peppol and XRechnung write them. */
export const ubl: Form = {
  name: 'UBL invoice',
  source: 'OASIS UBL 2.1, Peppol BIS Billing 3.0',
  example:
    'base-example.xml and base-creditnote-correction.xml of OpenPEPPOL/peppol-bis-invoice-3 (MPL-2.0)',
  kind: 'xml',
  read: (root) => invoicesIn(root, ['Invoice', 'CreditNote'], ublInvoice),
}

/** The XML of Factur-X, ZUGFeRD 2 and XRechnung. */
export const crossIndustry: Form = {
  name: 'Factur-X or ZUGFeRD invoice (CII)',
  source: 'UN/CEFACT Cross Industry Invoice, EN 16931',
  example: 'tests/assets of horstoeko/zugferd (MIT): xml_en16931_1.xml',
  kind: 'xml',
  read: (root) => invoicesIn(root, ['CrossIndustryInvoice'], ciiInvoice),
}

type Stated = {
  id: string | undefined
  customer: string | undefined
  currency: string | undefined
  due: string | undefined
  issued: string | undefined
  payable: string | undefined
  /** What the payable amount is made of. */
  total: string | undefined
  prepaid: string | undefined
  rounding: string | undefined
  isCredit: boolean
  credits: string | undefined
}

function invoicesIn(
  root: XmlElement,
  names: readonly string[],
  read: (invoice: XmlElement) => Stated,
): FormRows | undefined {
  const invoices = below(root, names).filter(({ children }) => children.length > 0)
  if (invoices.length === 0) return undefined
  const findings: FormRows['findings'][number][] = []
  const rows = invoices.map((invoice) => rowOf(invoice.line, read(invoice), findings))
  return { rows, says: { counterparty: 'the customer of each invoice' }, leftOut: [], findings }
}

function rowOf(
  line: number,
  stated: Stated,
  findings: FormRows['findings'][number][],
): FormRows['rows'][number] {
  const { id, currency, isCredit, credits } = stated
  const payable = unitsOf(stated.payable)
  // A credit note is there from the day on which it was written.
  const due = stated.due ?? (isCredit ? stated.issued : undefined)
  const counterparty = oneText(stated.customer)
  const needed = { id, currency, payable, due, counterparty }
  const missing = Object.entries(needed).find(([, value]) => value === undefined)?.[0]
  if (missing !== undefined || payable === undefined)
    return { line, malformed: `states no ${words[missing ?? 'payable']}` }
  const total = unitsOf(stated.total)
  const [prepaid, rounding] = [unitsOf(stated.prepaid) ?? 0n, unitsOf(stated.rounding) ?? 0n]
  if (total !== undefined && total - prepaid + rounding !== payable) {
    const computed = amountOf(total - prepaid + rounding)
    const detail = `Invoice ${id}: ${amountOf(payable)} is to be paid, and its total comes to ${computed}.`
    findings.push({ code: 'invoice_differs', detail })
  }
  const amount = amountOf(isCredit ? -payable : payable)
  const own = { id, counterparty, currency, due_at: due, amount }
  return { line, value: { ...own, ...(credits !== undefined && { credits }) } }
}

const words: Readonly<Record<string, string>> = {
  id: 'number',
  currency: 'currency',
  payable: 'amount to be paid',
  due: 'day on which it is due',
  counterparty: 'name of a customer',
}

function ublInvoice(invoice: XmlElement): Stated {
  const party = at(invoice, 'AccountingCustomerParty', 'Party')
  const total = at(invoice, 'LegalMonetaryTotal')
  const isCredit = invoice.name === 'CreditNote' || isCreditCode(textAt(invoice, 'InvoiceTypeCode'))
  return {
    id: textAt(invoice, 'ID'),
    customer:
      textAt(party, 'PartyLegalEntity', 'RegistrationName') ?? textAt(party, 'PartyName', 'Name'),
    currency: textAt(invoice, 'DocumentCurrencyCode'),
    due: textAt(invoice, 'DueDate') ?? textAt(invoice, 'PaymentMeans', 'PaymentDueDate'),
    issued: textAt(invoice, 'IssueDate'),
    payable: textAt(total, 'PayableAmount'),
    total: textAt(total, 'TaxInclusiveAmount'),
    prepaid: textAt(total, 'PrepaidAmount'),
    rounding: textAt(total, 'PayableRoundingAmount'),
    isCredit,
    credits: isCredit
      ? textAt(invoice, 'BillingReference', 'InvoiceDocumentReference', 'ID')
      : undefined,
  }
}

const isCreditCode = (code: string | undefined) =>
  code === '381' || code === '396' || code === '261'

function ciiInvoice(invoice: XmlElement): Stated {
  const document = at(invoice, 'ExchangedDocument')
  const trade = at(invoice, 'SupplyChainTradeTransaction')
  const settlement = at(trade, 'ApplicableHeaderTradeSettlement')
  const sums = at(settlement, 'SpecifiedTradeSettlementHeaderMonetarySummation')
  const isCredit = isCreditCode(textAt(document, 'TypeCode'))
  return {
    id: textAt(document, 'ID'),
    customer: textAt(trade, 'ApplicableHeaderTradeAgreement', 'BuyerTradeParty', 'Name'),
    currency: textAt(settlement, 'InvoiceCurrencyCode'),
    due: dayAt(settlement, 'SpecifiedTradePaymentTerms', 'DueDateDateTime'),
    issued: dayAt(document, 'IssueDateTime'),
    payable: textAt(sums, 'DuePayableAmount'),
    total: textAt(sums, 'GrandTotalAmount'),
    prepaid: textAt(sums, 'TotalPrepaidAmount'),
    rounding: textAt(sums, 'RoundingAmount'),
    isCredit,
    credits: isCredit
      ? textAt(settlement, 'InvoiceReferencedDocument', 'IssuerAssignedID')
      : undefined,
  }
}

const dayAt = (element: MaybeElement, ...path: string[]): string | undefined =>
  childrenOf(at(element, ...path), 'DateTimeString').flatMap(
    ({ text }) => compactDay(text) ?? [],
  )[0]
