import { escapeText } from '../../core/html.ts'
import { ibanOf } from './accounts.ts'
import { latinText } from './latin-text.ts'
import { NAME_CHARS_MAX, type Payment, REMITTANCE_CHARS_MAX, type Result } from './schema.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'

/** A payment of the file, with its reference for debtor and creditor, of at most 35 characters, and its amount in major units. */
type Transfer = { payment: Payment; reference: string; amount: string }
/** `messageId`: of at most 35 characters. */
type Message = {
  messageId: string
  currency: string
  /** The sum of the amounts. */
  sum: string
  transfers: readonly Transfer[]
}

/** The payments as one ISO 20022 customer credit transfer initiation (pain.001.001.09), with one debit for each payment. */
export function pain001(
  { messageId, currency, sum, transfers }: Message,
  { debtor, execution_date, created_at, transactions }: Asked,
): string {
  const totals = [...leaf('NbOfTxs', String(transactions)), ...leaf('CtrlSum', sum)]
  const isSepa = currency === 'EUR'
  const name = writtenName(debtor.name, debtor.iban)
  const lines = [
    ...node('GrpHdr', [
      ...leaf('MsgId', messageId),
      ...leaf('CreDtTm', created_at),
      ...totals,
      ...node('InitgPty', leaf('Nm', name)),
    ]),
    ...node('PmtInf', [
      ...leaf('PmtInfId', `${messageId}-1`),
      ...leaf('PmtMtd', 'TRF'),
      ...totals,
      ...(isSepa ? node('PmtTpInf', node('SvcLvl', leaf('Cd', 'SEPA'))) : []),
      ...node('ReqdExctnDt', leaf('Dt', execution_date)),
      ...node('Dbtr', leaf('Nm', name)),
      ...account('DbtrAcct', debtor.iban),
      ...node('DbtrAgt', node('FinInstnId', institution(debtor.bic))),
      ...leaf('ChrgBr', isSepa ? 'SLEV' : 'SHAR'),
      ...transfers.flatMap((transfer) => transaction(transfer, currency)),
    ]),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="${NAMESPACE}">
${node('CstmrCdtTrfInitn', lines).join('\n')}
</Document>
`
}
type Asked = NonNullable<Result['credit_transfer']>

function transaction({ payment, reference, amount }: Transfer, currency: string): string[] {
  const { name = '', iban = '', bic, remittance } = payment
  const text =
    remittance === undefined ? undefined : latinText(remittance, REMITTANCE_CHARS_MAX, iban)
  return node('CdtTrfTxInf', [
    ...node('PmtId', leaf('EndToEndId', reference)),
    ...node('Amt', [`<InstdAmt Ccy="${escapeText(currency)}">${escapeText(amount)}</InstdAmt>`]),
    ...(bic === undefined ? [] : node('CdtrAgt', node('FinInstnId', leaf('BICFI', bic)))),
    ...node('Cdtr', leaf('Nm', writtenName(name, iban))),
    ...account('CdtrAcct', iban),
    ...(text === undefined ? [] : node('RmtInf', leaf('Ustrd', text))),
  ])
}

/** The debtor's bank is needed, and where its BIC is not known the code that SEPA has for this stands in its place. */
const institution = (bic: string | undefined): string[] =>
  bic === undefined ? node('Othr', leaf('Id', 'NOTPROVIDED')) : leaf('BICFI', bic)
const account = (name: string, iban: string): string[] =>
  node(name, node('Id', leaf('IBAN', ibanOf(iban))))
export const writtenName = (name: string, iban: string): string =>
  latinText(name, NAME_CHARS_MAX, iban) ?? ''

const leaf = (name: string, text: string): string[] => [`<${name}>${escapeText(text)}</${name}>`]
const node = (name: string, inside: readonly string[]): string[] => [
  `<${name}>`,
  ...inside.map((line) => ` ${line}`),
  `</${name}>`,
]
