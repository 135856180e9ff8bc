import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { callbackOutcome, isCallbackOpen } from '#domain/callbacks/callback.ts'
import {
  type CallbackBody,
  type CallbackFacts,
  callbackBody,
  echoesNonce,
} from '#domain/callbacks/callback-body.ts'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import type { CallbackSnapshot, CallbackSteps } from '../../workflows/callbacks/activities.ts'
import { mayCallBack } from '../accounts/controls.ts'
import { recordNotice } from '../agents/access.ts'
import type { Outgoing, SendOutgoing } from '../http/outgoing.ts'
import type { SigningKey } from '../keys/compact.ts'
import type { KeyRings } from '../keys/key-ring.ts'
import { readKeyStatus } from '../keys/key-status.ts'
import { signWebhook } from '../keys/webhook.ts'
import {
  type AttemptEnd,
  type AttemptRow,
  beginAttempt,
  type DeliveryRow,
  endAttempt,
  lockOpenDelivery,
  readStanding,
  recordProvenHost,
} from '../store/callbacks/callback-deliveries.ts'
import { holdBack, type PostQuota, takePost } from '../store/callbacks/callback-posts.ts'
import { type Tx, transaction } from '../store/postgres/db.ts'
import { isDemoReceiver } from './hosts.ts'

/** Reads the facts of a callback at the time it is sent; `subject` is the subject of the stored delivery. */
export type ReadFacts = {
  [Event in keyof CallbackFacts]: (tx: Tx, subject: string) => Promise<CallbackFacts[Event]>
}

export type CallbackDeps = {
  readonly db: Tx
  readonly log: Logger
  readonly send: SendOutgoing
  readonly keys: Pick<KeyRings, 'callback'>
  readonly facts: ReadFacts
  /** The secret that an owner shares with us, if any: its callbacks are also signed as `v1`. */
  readonly secretOf?: (owner: string) => Promise<string | undefined>
  /** The page that accepts callbacks without a proof of its host. */
  readonly demoReceiver: string
  /** The allowed requests in a day. */
  readonly posts: PostQuota
}

/** The request of one attempt, stored before it is sent. */
type Sent = {
  delivery: DeliveryRow
  attempt: number
  body: string
  timestamp: number
  key: SigningKey
}

/** Delivers callbacks: stored before they are sent and recorded after, so that a process that dies in between sends the same id again. */
export function createCallbackSteps(deps: CallbackDeps): CallbackSteps {
  return {
    loadCallback: (deliveryId) => snapshot(deps, deliveryId),
    proveHost: async (deliveryId) => {
      const nonce = randomBytes(32).toString('base64url')
      const sent = await begin(deps, deliveryId, 'proof', async () => ({
        event: 'host_proof',
        nonce,
      }))
      if (sent === undefined) return existing(deps, deliveryId)
      const answer = await post(deps, sent)
      const end = endOf(answer)
      const echoed =
        answer.ok && end.outcome === 'taken' && echoesNonce(answer.body.toString('utf8'), nonce)
      await transaction(deps.db, async (tx) => {
        if (echoed) await recordProvenHost(tx, sent.delivery.owner, sent.delivery.host)
        const silent = {
          outcome: 'failed',
          status: end.status,
          failure: 'nonce_not_echoed',
        } as const
        await endAttempt(
          tx,
          deliveryId,
          sent.attempt,
          end.outcome === 'taken' && !echoed ? silent : end,
        )
      })
      return existing(deps, deliveryId)
    },
    deliverCallback: async (deliveryId) => {
      const sent = await begin(deps, deliveryId, 'delivery', readNotice)
      if (sent === undefined) return existing(deps, deliveryId)
      const end = endOf(await post(deps, sent))
      const { event, subject } = sent.delivery
      await transaction(deps.db, async (tx) => {
        await endAttempt(tx, deliveryId, sent.attempt, end)
        if (event === 'credential_ready' && end.outcome === 'taken')
          await recordNotice(tx, subject, 'callback')
      })
      return existing(deps, deliveryId)
    },
  }

  async function readNotice(tx: Tx, { event, subject }: DeliveryRow): Promise<Notice> {
    if (event === 'task_updated') return { event, ...(await deps.facts.task_updated(tx, subject)) }
    if (event === 'payout_updated')
      return { event, ...(await deps.facts.payout_updated(tx, subject)) }
    return { event, ...(await deps.facts.credential_ready(tx, subject)) }
  }
}

type WithoutEnvelope<Body> = Body extends unknown ? Omit<Body, 'delivery_id' | 'at'> : never
type Notice = WithoutEnvelope<CallbackBody>

/** Nothing is sent to a host that the controls of the account, as they are now, do not name. */
const hostNotAllowed: AttemptEnd = { outcome: 'gone', status: null, failure: 'host_not_allowed' }

/** Reads the facts to send and stores the attempt; undefined if the delivery has ended, ends here, or must wait for its quota. */
async function begin(
  { db, keys, posts }: CallbackDeps,
  deliveryId: string,
  kind: AttemptRow['kind'],
  read: (tx: Tx, delivery: DeliveryRow) => Promise<Notice>,
): Promise<Sent | undefined> {
  return transaction(db, async (tx) => {
    const delivery = await lockOpenDelivery(tx, deliveryId)
    if (delivery === undefined) return undefined
    if (!(await mayCallBack(tx, delivery.owner, delivery.url))) {
      const attempt = await beginAttempt(tx, delivery, kind, sha256Hex(''))
      await endAttempt(tx, deliveryId, attempt, hostNotAllowed)
      return undefined
    }
    if (!(await takePost(tx, delivery.owner, posts))) {
      await holdBack(tx, deliveryId)
      return undefined
    }
    const callback = await readKeyStatus(tx, keys, ['callback'])
    const key = callback.signer('callback')
    const timestamp = callback.nowSeconds
    const notice = await read(tx, delivery)
    const envelope = { delivery_id: deliveryId, at: new Date(timestamp * 1000).toISOString() }
    const body = canonicalJson(callbackBody.parse({ ...notice, ...envelope }))
    const attempt = await beginAttempt(tx, delivery, kind, sha256Hex(body))
    return { delivery, attempt, body, timestamp, key }
  })
}

async function post(
  deps: CallbackDeps,
  { delivery, attempt, body, timestamp, key }: Sent,
): Promise<Outgoing> {
  const secret = await deps.secretOf?.(delivery.owner)
  const headers = await signWebhook(key, { id: delivery.delivery_id, timestamp, body }, secret)
  const answer = await deps.send({
    url: delivery.url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const { delivery_id: deliveryId, host } = delivery
  if (!answer.ok)
    deps.log.info(
      { deliveryId, attempt, host, reason: answer.reason, detail: answer.detail },
      'no answer to a callback',
    )
  return answer
}

function endOf(answer: Outgoing): AttemptEnd {
  if (!answer.ok) return { outcome: 'failed', status: null, failure: answer.reason }
  const { status } = answer
  const outcome = callbackOutcome(status)
  return { outcome, status, failure: outcome === 'taken' ? null : `status_${status}` }
}

async function existing(deps: CallbackDeps, deliveryId: string): Promise<CallbackSnapshot> {
  const known = await snapshot(deps, deliveryId)
  if (known === null) throw new Error('an attempted delivery has no row')
  return known
}

async function snapshot(
  { db, ...hosts }: CallbackDeps,
  deliveryId: string,
): Promise<CallbackSnapshot | null> {
  const row = await readStanding(db, deliveryId)
  if (row === undefined) return null
  return {
    deliveryId,
    event: row.event,
    host: row.host,
    state: row.state,
    open: isCallbackOpen(row.state),
    hostProven: row.host_proven || isDemoReceiver(hosts, row.url),
    waitMs: row.wait_ms,
    attempts: row.attempts,
    failures: row.failures,
    lastFailure: row.held_back ? 'post_quota' : row.last_failure,
  }
}
