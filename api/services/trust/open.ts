import { HANDOFF_TYP } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP } from '#domain/trust/passport.ts'
import type { Chain } from '../../../activities/chain/client.ts'
import { openPaymentEvidence } from '../../../activities/chain/payment-evidence.ts'
import type { Config } from '../../../activities/config/config.ts'
import { signerOf } from '../../../activities/container.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import type { Rail } from '../../../activities/payouts/deps.ts'
import { ReceiptService } from '../receipts/verification.ts'
import type { TrustDeps } from './deps.ts'
import { HandoffService } from './handoff-packs.ts'
import { InboxService } from './inbox.ts'
import { PassportService } from './passports.ts'
import { ScorecardService } from './scorecards.ts'

type Adapters = {
  config: Pick<Config, 'CONFIRMATIONS'>
  chain: Pick<Chain, 'views'>
  keys: KeyRings
  rail: Pick<Rail, 'asset' | 'issuer'>
  receiptIssuer: Pick<TrustDeps, 'db' | 'issuer' | 'environment' | 'signReceipt'>
}

/** The services behind the trust operations. */
export function openTrustServices({ config, chain, keys, rail, receiptIssuer }: Adapters) {
  const { asset, issuer } = rail
  const deps: TrustDeps = {
    ...receiptIssuer,
    asset,
    signPassport: signerOf(keys, PASSPORT_TYP),
    signPack: signerOf(keys, HANDOFF_TYP),
    receipts: new ReceiptService(receiptIssuer.db, issuer),
    chainTime: async () => Number((await chain.views[0].heights()).head.timestamp),
    paymentEvidence: openPaymentEvidence({
      chain,
      asset,
      confirmations: config.CONFIRMATIONS,
    }),
  }
  return {
    passports: new PassportService(deps),
    proofInbox: new InboxService(deps),
    scorecards: new ScorecardService(deps),
    handoffs: new HandoffService(deps),
  }
}

export type TrustServices = ReturnType<typeof openTrustServices>
