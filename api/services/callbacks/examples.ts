import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  callbackAttemptsMax,
  callbackScheduleMs,
  exampleDeliveryId,
} from '#domain/callbacks/callback.ts'
import {
  callbackBody,
  type ReceiverLanguage,
  receiverLanguages,
} from '#domain/callbacks/callback-body.ts'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import type { SigningKey } from '../../../activities/keys/compact.ts'
import { checkWebhook, signWebhook, webhookPublicKey } from '../../../activities/keys/webhook.ts'

const receiverFiles: Record<ReceiverLanguage, string> = {
  typescript: 'receiver.ts',
  python: 'receiver.py',
  go: 'receiver.go',
  shell: 'receiver.sh',
}

/** When the examples are signed, in Unix seconds; a receiver that compares its own clock finds them too old. */
const SIGNED_AT = 1_795_000_000

type SignedExample = Awaited<ReturnType<typeof signedExample>>

/** Callbacks as this service signs them, with its own key at a fixed time. */
export const signedExamples = (key: SigningKey): Promise<SignedExample[]> =>
  Promise.all(exampleBodies().map((callback) => signedExample(key, callback)))

/** Signed callbacks, and receivers that verify them. */
export function callbackExamples(events: SignedExample[], language?: ReceiverLanguage) {
  const languages = language === undefined ? receiverLanguages : [language]
  return {
    signed_at: SIGNED_AT,
    events,
    receivers: languages.map((name) => ({
      language: name,
      code: readFileSync(
        join(packageRoot, 'docs', 'callback-receivers', receiverFiles[name]),
        'utf8',
      ),
    })),
    retry_rules: {
      attempts: callbackAttemptsMax,
      seconds_before_each: callbackScheduleMs.map((ms) => ms / 1000),
      jitter: 'up to a tenth more',
      taken_by: '2xx within 5 s',
      ended_by: '410',
    },
  }
}

async function signedExample(key: SigningKey, callback: ReturnType<typeof exampleBodies>[number]) {
  const body = canonicalJson(callback)
  const headers = await signWebhook(key, { id: callback.delivery_id, timestamp: SIGNED_AT, body })
  return {
    event: callback.event,
    headers,
    body,
    signature: headers['webhook-signature'],
    public_key: webhookPublicKey(key.publicJwk),
    verifies: checkWebhook([key.publicJwk], headers, body, SIGNED_AT).every(({ ok }) => ok),
  }
}

function exampleBodies() {
  const shared = {
    delivery_id: exampleDeliveryId,
    at: new Date(SIGNED_AT * 1000).toISOString(),
  }
  const events = [
    { event: 'host_proof', nonce: 'bm9uY2U' },
    {
      event: 'credential_ready',
      agent_id: `agt_${'2'.repeat(64)}`,
      credential_id: '3'.repeat(16),
      state: 'pending',
      sequence: 3,
    },
    {
      event: 'task_updated',
      task_token_sha256: '4'.repeat(64),
      run_id: `run_${'5'.repeat(64)}`,
      state: 'callback_pending',
      sequence: 17,
      receipt_ids: [`rc_${'6'.repeat(64)}`],
    },
    {
      event: 'payout_updated',
      payout_id: `po_${'7'.repeat(64)}`,
      state: 'executed',
      transfer_status: 'final',
      transaction_hash: `0x${'8'.repeat(64)}`,
      money_moved: 'yes',
      sequence: 4,
      receipt_ids: [`rc_${'9'.repeat(64)}`],
    },
  ]
  return events.map((event) => callbackBody.parse({ ...event, ...shared }))
}
