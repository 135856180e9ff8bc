import type { Form } from '../../form.ts'
import { nachaForm } from './nacha-file.ts'
import { paypalPayoutsForm } from './paypal-payouts.ts'
import { safeAirdropForm } from './safe-airdrop.ts'
import { tokenHoldersForm } from './token-holders.ts'

export { recipientHeadings } from './headings.ts'

/** Files of recipients that are no plain tables. */
export const recipientForms: readonly Form[] = [
  nachaForm,
  safeAirdropForm,
  tokenHoldersForm,
  paypalPayoutsForm,
]
