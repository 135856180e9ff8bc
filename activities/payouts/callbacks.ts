import { hostProofLifeMs } from '#domain/callbacks/callback.ts'
import { refuse } from '#domain/core/errors.ts'
import { mayCallBack } from '../accounts/controls.ts'
import { type CallbackHosts, checkCallbackUrl, isDemoReceiver } from '../callbacks/hosts.ts'
import { addDelivery } from '../store/callbacks/callback-deliveries.ts'
import { answerCall, claimGrant } from '../store/calls/calls.ts'
import {
  findPayoutCallback,
  isHostProven,
  setPayoutCallback,
} from '../store/payouts/payout-callbacks.ts'
import type { PayoutRow } from '../store/payouts/payouts.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { listReceipts } from '../store/receipts/receipts.ts'

/**
 * Stores the callback of a payout in the transaction of its new receipt, if the creator has a callback URL and its account allows it,
 * and returns its id.
 */
export async function addPayoutCallback(
  tx: Tx,
  { payout_id, creator }: PayoutRow,
): Promise<string | undefined> {
  const wanted = await findPayoutCallback(tx, creator)
  if (wanted === undefined || !(await mayCallBack(tx, creator, wanted.url))) return undefined
  const ordinal = (await listReceipts(tx, payout_id)).length
  return addDelivery(tx, {
    owner: creator,
    event: 'payout_updated',
    subject: payout_id,
    ordinal,
    url: wanted.url,
  })
}

/** The callback URL of a wallet, for all of its payouts; the terms of a payout have no URL. */
export function openPayoutCallbacks(db: Tx, hosts: CallbackHosts) {
  const read = async (wallet: string, tx: Tx = db) => {
    const known = await findPayoutCallback(tx, wallet)
    if (known === undefined) return { callback_url: null, changed_at: null, host_proven: false }
    const { host } = new URL(known.url)
    const host_proven =
      isDemoReceiver(hosts, known.url) || (await isHostProven(tx, wallet, host, hostProofLifeMs))
    return { callback_url: known.url, changed_at: known.changed_at.toISOString(), host_proven }
  }
  return {
    read: (wallet: string) => read(wallet),
    /** Sets the URL once for each call; a repeat of the call changes nothing. 422 `callback_refused`, 403 `control_denied`. */
    set: async (wallet: string, url: string | null, callId: string) => {
      const checked = url === null ? { ok: true, detail: '' } : checkCallbackUrl(hosts, url, false)
      if (!checked.ok)
        throw refuse('callback_refused', {
          detail: checked.detail,
          next_action: 'Name a public HTTPS URL, or null for no callbacks.',
          errors: [{ pointer: '/callback_url', message: checked.detail }],
        })
      return transaction(db, async (tx) => {
        await claimGrant(tx, callId, callId)
        if (url !== null && !(await mayCallBack(tx, wallet, url)))
          throw refuse('control_denied', {
            detail: 'the account of the wallet does not allow the callback host',
            next_action: 'Name one of callback_hosts of GET /api/enterprise-controls.',
            money_moved: 'no',
          })
        await setPayoutCallback(tx, wallet, url)
        const answer = await read(wallet, tx)
        await answerCall(callId, callId, 200, answer).run(tx)
        return answer
      })
    },
  }
}
