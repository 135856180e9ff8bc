import type { Headings } from '../../form.ts'

const names = [
  'Beneficiary name',
  'Recipient name',
  'Payee name',
  'Creditor name',
  'Account holder',
  'Account name',
  'Payee',
  'Recipient',
  'Beneficiary',
  'Name',
  'Empfänger',
  'Empfängername',
  'Begünstigter',
  'Bénéficiaire',
  'Nom du bénéficiaire',
]

const wallets = ['Wallet address', 'Receiver', 'Receiver address']

/** Headings of the lists of recipients that banks take, and of royalty statements by payee. */
export const recipientHeadings: Headings = {
  // A list without ids has each recipient by its name.
  id: [
    'Recipient ID',
    'Payee ID',
    'Beneficiary ID',
    'Payee code',
    'Vendor ID',
    'Id number',
    'Account ID',
    ...names,
    ...wallets,
  ],
  name: names,
  amount: [
    'Net payable',
    'Net amount payable',
    'Amount payable',
    'Total payable',
    'Amount due',
    'Payable',
    'Net due',
    'Payment amount',
    'Amount EUR',
    'Amount USD',
    'Amount GBP',
    'Betrag',
    'Montant',
  ],
  share_percent: [
    'Share percent',
    'Percentage',
    'Percent',
    'Pct',
    'Royalty percentage',
    'Ownership',
  ],
  // A heading is the same with and without a percent sign; cells that have one are percentages.
  weight: ['Share', 'Split', 'Shares', 'Points', 'Token balance', 'Holdings'],
  currency: ['Currency code', 'Payment currency', 'Payee currency', 'Währung', 'Devise', 'CCY'],
  cap: ['Maximum', 'Maximum payment'],
  floor: ['Minimum', 'Minimum payment'],
  iban: ['Beneficiary IBAN', 'Recipient IBAN', 'IBAN Empfänger', 'Creditor IBAN'],
  bic: ['SWIFT', 'SWIFT/BIC', 'BIC/SWIFT', 'SWIFT code', 'BIC code', 'Beneficiary BIC'],
  remittance: [
    'Payment reference',
    'Remittance information',
    'Verwendungszweck',
    'Payment details',
    'Reference',
    'Note to recipient',
    'Motif',
  ],
  routing_number: [
    'Routing transit number',
    'Routing',
    'ABA',
    'ABA number',
    'ABA routing number',
    'Bank routing number',
    'RTN',
  ],
  account_number: ['Bank account number', 'Account no', 'Beneficiary account number'],
  account_type: ['Type of account', 'Bank account type', 'Account type indicator'],
  wallet: wallets,
}
