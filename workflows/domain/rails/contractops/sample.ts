import type { ContractInput } from './schema.ts'

/** A short service agreement whose notice deadline is near. */
export const contractopsInput: ContractInput = {
  as_of: '2026-06-30',
  text: `SERVICE AGREEMENT

This Service Agreement (the "Agreement") is entered into as of September 1, 2024 (the "Effective Date") by and between Northwind Ledger, Inc., a Delaware corporation ("Provider"), and Alder & Finch LLP, a limited liability partnership ("Customer").

1. Services. Provider shall host the bookkeeping service described in Exhibit A and shall keep it available 99.9 % of each month.

2. Fees. Customer shall pay Provider a monthly fee of $1,250.00 within thirty (30) days of each invoice. Customer shall not withhold undisputed amounts.

3. Term. The initial term of this Agreement is two (2) years from the Effective Date. Thereafter it shall automatically renew for successive one (1) year terms unless either party gives written notice of non-renewal at least sixty (60) days prior to the end of the then-current term.

4. Termination. Either party may terminate this Agreement for material breach upon thirty (30) days' written notice if the breach is not cured.

5. Data. Provider shall promptly return all data of Customer upon termination. All records shall be returned in a common format.

6. Liability. Each party's total liability is limited to the greater of $50,000 and the fees paid in the twelve (12) months before the claim.

7. Law. This Agreement is governed by the laws of the State of New York.
`,
}
