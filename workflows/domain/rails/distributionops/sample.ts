import type { DistributionInput } from './schema.ts'

/** A quarter's royalty pool: four shares by weight, one fixed fee, a row that came twice and one without a share; paid by bank. */
export const distributionopsInput: DistributionInput = {
  pool: { amount_minor: 1_250_000, currency: 'EUR' },
  rounding: 'largest_remainder',
  credit_transfer: {
    debtor: { name: 'Collecting Society Ltd', iban: 'DE89 3704 0044 0532 0130 00' },
    execution_date: '2026-07-15',
    created_at: '2026-07-13T09:00:00Z',
    remittance: 'Royalties 2026 Q2',
  },
  recipients: [
    {
      id: 'artist-anna',
      weight: 45,
      name: 'Anna Lindqvist',
      iban: 'SE45 5000 0000 0583 9825 7466',
      destination_reference: 'acct_7f21',
    },
    {
      id: 'artist-bram',
      weight: 30,
      name: 'Bram de Vries',
      iban: 'NL91 ABNA 0417 1643 00',
      destination_reference: 'acct_1c88',
      cap_minor: 300_000,
    },
    {
      id: 'label-north',
      weight: 20.5,
      name: 'Label Nørd & Søn ApS',
      iban: 'DK50 0040 0440 1162 43',
      destination_reference: 'acct_90aa',
    },
    {
      id: 'estate-cole',
      weight: 0.5,
      name: 'Estate of R. Cole',
      iban: 'IE29AIBK93115212345678',
      destination_reference: 'acct_3b07',
      floor_minor: 10_000,
    },
    {
      id: 'agency-fee',
      amount_minor: 62_500,
      name: 'Agence Générale SARL',
      iban: 'FR14 2004 1010 0505 0001 3M02 606',
      bic: 'PSSTFRPPPAR',
      remittance: 'Agency fee 2026 Q2',
      destination_reference: 'acct_f001',
    },
    {
      id: 'artist-anna',
      weight: 45,
      name: 'Anna Lindqvist',
      iban: 'SE45 5000 0000 0583 9825 7466',
      destination_reference: 'acct_7f21',
    },
    { id: 'studio-old', destination_reference: 'acct_2d4e' },
  ],
}

/** The same with a recipient that no account is named for. */
export const unreachableDistributionInput: DistributionInput = {
  ...distributionopsInput,
  recipients: [...distributionopsInput.recipients, { id: 'artist-dora', weight: 4 }],
}
