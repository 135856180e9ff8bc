import { HANDOFF_TYP } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP } from '#domain/trust/passport.ts'
import { openPaymentEvidence } from '../../../activities/chain/payment-evidence.ts'
import { signerOf } from '../../../activities/container.ts'
import type { Adapters } from '../../adapters.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { HandoffService } from './handoff-packs.ts'
import { InboxService } from './inbox.ts'
import { PassportService } from './passports.ts'
import { ScorecardService } from './scorecards.ts'

/** The services behind the trust operations. */
export function openTrust(adapters: Adapters, { receipts }: ReceiptServices) {
  const { config, chain, keys, rail } = adapters
  const { asset } = rail
  const deps = {
    ...adapters,
    asset,
    receipts,
    signPassport: signerOf(keys, PASSPORT_TYP),
    signPack: signerOf(keys, HANDOFF_TYP),
    chainTime: async () => Number((await chain.views[0].heights()).head.timestamp),
    paymentEvidence: openPaymentEvidence({ chain, asset, confirmations: config.CONFIRMATIONS }),
  }
  return {
    passports: new PassportService(deps),
    proofInbox: new InboxService(deps),
    scorecards: new ScorecardService(deps),
    handoffs: new HandoffService(deps),
  }
}
