import type { Headings } from '../../input/forms.ts'

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

/** The first is that of a list of token holders by Etherscan, whose balances are weights. */
const wallets = ['HolderAddress', 'Wallet address', 'Address', 'Receiver']

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
    'Betrag',
    'Montant',
  ],
  share_percent: ['Share %', 'Share percent', 'Percentage', 'Percent', 'Split %', 'Royalty share'],
  weight: ['Share', 'Split', 'Shares', 'Units', 'Points', 'Balance', 'Token balance', 'Holdings'],
  currency: ['Currency code', 'Payment currency', 'Payee currency', 'Währung', 'Devise', 'CCY'],
  cap: ['Cap', 'Maximum'],
  floor: ['Floor', 'Minimum', 'Minimum payment'],
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
