import { hostProofLifeMs } from '../../workflows/domain/callback.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import { addDelivery } from '../store/callback-deliveries.ts'
import { answerCall, claimGrant } from '../store/calls.ts'
import { type Tx, transaction } from '../store/db.ts'
import { findPayoutCallback, isHostProven, setPayoutCallback } from '../store/payout-callbacks.ts'
import type { PayoutRow } from '../store/payouts.ts'
import { send } from '../store/pipeline.ts'
import { listReceipts } from '../store/receipts.ts'
import { type CallbackHosts, isDemoReceiver, judgeCallbackUrl } from './hosts.ts'

/** Stores the callback of a payout whose receipt was just written, in the same transaction; none where its creator wants none. */
export async function addPayoutCallback(tx: Tx, { payout_id, creator }: PayoutRow): Promise<void> {
  const wanted = await findPayoutCallback(tx, creator)
  if (wanted === undefined) return
  const ordinal = (await listReceipts(tx, payout_id)).length
  await addDelivery(tx, { owner: creator, event: 'payout_updated', subject: payout_id, ordinal, url: wanted.url })
}

export type PayoutCallbacks = ReturnType<typeof openPayoutCallbacks>

/** The callback URL of a wallet, for all of its payouts: the terms of a payout have no place for one. */
export function openPayoutCallbacks(db: Tx, hosts: CallbackHosts) {
  const read = async (wallet: string, tx: Tx = db) => {
    const known = await findPayoutCallback(tx, wallet)
    if (known === undefined) return { callback_url: null, changed_at: null, host_proven: false }
    const { host } = new URL(known.url)
    const host_proven = isDemoReceiver(hosts, known.url) || (await isHostProven(tx, wallet, host, hostProofLifeMs))
    return { callback_url: known.url, changed_at: known.changed_at.toISOString(), host_proven }
  }
  return {
    read: (wallet: string) => read(wallet),
    /** Sets the URL once for each call: a repeat of the call, and of its proof, changes nothing. */
    set: async (wallet: string, url: string | null, callId: string) => {
      const judged = url === null ? { ok: true, detail: '' } : judgeCallbackUrl(hosts, url, false)
      if (!judged.ok)
        throw refuse('callback_refused', judged.detail, 'Name a public HTTPS URL, or null for no callbacks.', {
          errors: [{ pointer: '/callback_url', message: judged.detail }],
        })
      return transaction(db, async (tx) => {
        await claimGrant(tx, callId, callId)
        await setPayoutCallback(tx, wallet, url)
        const answer = await read(wallet, tx)
        await send(tx, answerCall(callId, callId, 200, answer))
        return answer
      })
    },
  }
}
