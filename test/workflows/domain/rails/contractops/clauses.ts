/**
 * Clauses of contracts that were written for this test, each with what a reader finds in it. A cap is its party, then its limbs;
 * `0` months: fees without a period. A notice is that against a renewal.
 */
export type Clauses = {
  text: string
  caps?: string[]
  laws?: string[]
  renewal?: 'automatic' | 'evergreen' | 'none'
  /** The length of each renewal. */
  every?: string
  notice?: string
}

/** The text of a contract around clauses. */
export const contractWith = ({ text }: Clauses): string =>
  `SERVICES AGREEMENT\n\nThis Services Agreement is made as of March 1, 2024 (the "Effective Date") by and between Acme Lines, Inc. ("Customer") and Bolt Analytics LLC ("Provider").\n\n${text}\n`

export const tuning: readonly Clauses[] = [
  {
    text: "9. LIABILITY\n\n9.1 Provider's total liability arising out of this Agreement shall not exceed $250,000.\n\n10. This Agreement shall be governed by and construed in accordance with the laws of the State of Delaware, without regard to its conflict of laws principles.",
    caps: ['Provider amount 250000 USD'],
    laws: ['State of Delaware'],
  },
  {
    text: "7. In no event shall either party's aggregate liability exceed the fees paid or payable by Customer in the twelve (12) months preceding the event giving rise to the claim.\n\n8. This Agreement is governed by the laws of England and Wales.",
    caps: ['each party fees x1 12 months'],
    laws: ['England and Wales'],
  },
  {
    text: '4. Provider shall maintain commercial general liability insurance with limits of not less than $2,000,000 per occurrence.\n\n5. Neither party shall be liable for indirect or consequential damages.\n\n6. Each party shall comply with all applicable laws of the State of Ohio.',
  },
  {
    text: "12.1 Except as stated in Section 12.2, each party's liability is limited to the greater of (a) USD 500,000 and (b) two times the fees paid in the 12 months before the claim.\n\n12.2 Notwithstanding Section 12.1, Provider's liability for breach of Section 8 (Confidentiality) shall not exceed five million dollars ($5,000,000).",
    caps: [
      'each party greater amount 500000 USD, fees x2 12 months',
      'Provider amount 5000000 USD',
    ],
  },
  {
    text: '3.1 The initial term is two (2) years. It shall automatically renew for successive periods of one (1) year unless either party gives written notice of non-renewal at least sixty (60) days before the end of the then-current term.',
    renewal: 'automatic',
    every: '12 months',
    notice: '60 days',
  },
  {
    text: '3.1 This Agreement has an initial term of twelve (12) months and shall thereafter continue in effect until terminated by either party.\n\n3.2 German law applies to this Agreement. The United Nations Convention on Contracts for the International Sale of Goods shall not apply.',
    laws: ['German'],
    renewal: 'evergreen',
  },
  {
    text: '5. The initial term of this Agreement is three years. This Agreement shall not automatically renew.\n\n6. The courts of Hamburg have exclusive jurisdiction.\n\n7. Nothing in this Agreement limits the liability of either party for fraud or for death or personal injury.',
    renewal: 'none',
  },
  {
    text: '2. The initial term of this Agreement is one year. It will automatically renew for further periods of six (6) months unless a party notifies the other in writing three (3) months prior to the end of the term that it does not wish to renew.',
    renewal: 'automatic',
    every: '6 months',
    notice: '3 months',
  },
  {
    text: '14. If Customer is established in the European Union, this Agreement is governed by the laws of Ireland; in all other cases it is governed by the laws of the State of California.',
    laws: ['Ireland', 'State of California'],
  },
  {
    text: '8. THE MAXIMUM LIABILITY OF PROVIDER UNDER THIS AGREEMENT IS CAPPED AT 150% OF THE FEES PAID IN THE PRECEDING SIX (6) MONTHS.\n\n9. THIS AGREEMENT SHALL BE GOVERNED BY THE LAWS OF THE STATE OF TEXAS WITHOUT REGARD TO CONFLICTS OF LAW.',
    caps: ['Provider fees x1.5 6 months'],
    laws: ['State of Texas'],
  },
  {
    text: "6. Customer shall not be liable for more than £40,000 in any calendar year. Provider's liability shall in no circumstances exceed £75,000 in aggregate.",
    caps: ['Customer amount 40000 GBP', 'Provider amount 75000 GBP'],
  },
  {
    text: '9. The purchase price shall not exceed $90,000, and discounts are limited to 10% of the fees. Provider is a company organized under the laws of the State of Nevada.',
  },
  {
    text: '2.1 The initial term is one (1) year. It renews automatically for additional terms of one (1) year each, unless Customer gives thirty (30) days’ prior written notice of its intent not to renew.',
    renewal: 'automatic',
    every: '12 months',
    notice: '30 days',
  },
]

/** Written with the others, and not looked at while the rail was made. */
export const frozen: readonly Clauses[] = [
  {
    text: '11. The total cumulative liability of either party to the other shall be limited to one million dollars ($1,000,000).\n\n12. The validity and interpretation of this Agreement are governed by the laws of the Commonwealth of Massachusetts.',
    caps: ['each party amount 1000000 USD'],
    laws: ['Commonwealth of Massachusetts'],
  },
  {
    text: "10.3 Customer agrees that Provider's entire liability will not exceed the amounts actually paid by Customer under this Agreement during the six (6) month period before the date of the claim.",
    caps: ['Provider fees x1 6 months'],
  },
  {
    text: '5. Provider carries professional liability insurance of €3,000,000.\n\n6. In no event will Provider be liable for lost profits, whatever their amount.\n\n7. The parties submit to the jurisdiction of the courts of the State of New York.',
  },
  {
    text: "13.1 Subject to Section 13.3, each party's maximum liability shall be the lesser of €200,000 and the fees payable in the twelve months preceding the claim.\n\n13.3 Notwithstanding anything to the contrary, Customer's liability for unpaid invoices is not limited.",
    caps: ['each party lesser amount 200000 EUR, fees x1 12 months'],
  },
  {
    text: '4.2 Following the initial term of thirty-six (36) months, this Agreement will renew automatically for consecutive terms of twelve (12) months, unless either party delivers notice of non-renewal no less than ninety (90) days prior to expiration.',
    renewal: 'automatic',
    every: '12 months',
    notice: '90 days',
  },
  {
    text: '3. The initial term of this Agreement is one (1) year. After that this Agreement remains in force for an indefinite period until either party terminates it on one month’s notice.\n\n4. Swiss law shall govern this Agreement.',
    laws: ['Swiss'],
    renewal: 'evergreen',
  },
  {
    text: '8. The initial term is eighteen (18) months. There is no automatic renewal.\n\n9. Provider’s obligations are governed by Schedule 2 and by the rules of the stock exchange.',
    renewal: 'none',
  },
  {
    text: '6. The initial term of this Agreement is two years. It automatically extends for periods of three (3) months each, unless one party gives forty-five (45) days written notice before the end of the period that it will not be extended.',
    renewal: 'automatic',
    every: '3 months',
    notice: '45 days',
  },
  {
    text: '15. This Agreement is construed under the laws of the Province of Ontario and the federal laws of Canada applicable therein.',
    laws: ['Province of Ontario', 'Canada'],
  },
  {
    text: '9. IN NO EVENT SHALL THE AGGREGATE LIABILITY OF PROVIDER EXCEED TWO TIMES (2X) THE FEES PAID BY CUSTOMER IN THE TWELVE (12) MONTHS PRIOR TO THE CLAIM. THE LAWS OF THE STATE OF ILLINOIS GOVERN THIS AGREEMENT.',
    caps: ['Provider fees x2 12 months'],
    laws: ['State of Illinois'],
  },
  {
    text: "7.1 Provider's liability under Section 4 shall not exceed $100,000.\n\n7.2 Notwithstanding Section 7.1, the liability of Provider for data breaches shall not exceed $2,500,000.",
    caps: ['Provider amount 100000 USD', 'Provider amount 2500000 USD'],
  },
  {
    text: '8. Expenses shall not exceed $5,000 in a month. Liability for taxes rests with Customer. Acme Lines, Inc. exists under the laws of the Republic of Ireland.',
  },
  {
    text: '2. The initial term is twelve months. This Agreement renews automatically for one-year terms unless terminated by written notice at least two (2) months before the end of a term.',
    renewal: 'automatic',
    every: '12 months',
    notice: '2 months',
  },
]
