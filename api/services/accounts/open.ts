import type { Adapters } from '../../adapters.ts'
import type { InputServices } from '../inputs/open.ts'
import { CheckoutService } from './checkouts.ts'
import { CommercialLayer } from './commercial-layer.ts'
import { AccountControlsService } from './controls.ts'

/** Accounts of customers: their controls, fees and checkouts. */
export const openAccounts = (adapters: Adapters, { uploadChecks }: InputServices) => ({
  commercialLayer: new CommercialLayer(adapters),
  accountControls: new AccountControlsService(adapters),
  checkouts: new CheckoutService({ ...adapters, uploadChecks }),
})
