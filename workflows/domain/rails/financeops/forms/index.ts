import type { Form } from '../../form.ts'
import { bai2 } from './bai2.ts'
import { bankTable } from './bank-table.ts'
import { camt } from './camt.ts'
import { crossIndustry, ubl } from './invoices.ts'
import { mt940 } from './mt940.ts'
import { ofxSgml, ofxXml } from './ofx.ts'
import { openInvoices } from './open-invoices.ts'
import { paypal } from './paypal.ts'

export { invoiceHeadings, paymentHeadings } from './headings.ts'
export const paymentForms: readonly Form[] = [camt, mt940, ofxSgml, ofxXml, bai2, paypal, bankTable]
export const invoiceForms: readonly Form[] = [ubl, crossIndustry, openInvoices]
