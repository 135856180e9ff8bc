import { sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { trustLimits } from '#domain/core/limits.ts'
import type { RunUsage } from '#domain/core/usage.ts'
import { isTooLarge, type PackClaims, packId, statusesAfter } from '#domain/trust/handoff-pack.ts'
import { accountOf } from '#domain/trust/work.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import type { ArtifactCheck } from '../../../activities/keys/signed-artifact.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import {
  findLastPack,
  findPack,
  insertPack,
} from '../../../activities/store/trust/handoff-packs.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import type { TrustDeps } from './deps.ts'
import { packetOf, verifyPack } from './verification.ts'

export type PackInput = Pick<PackClaims, 'task' | 'permissions' | 'state'> & {
  mode: 'build'
  idempotency_key: string
  recipient_wallet: string
  usage: RunUsage
}

/** Packs with which an agent hands work over to another one. */
export class HandoffService {
  private readonly deps: TrustDeps

  constructor(deps: TrustDeps) {
    this.deps = deps
  }

  build(builder: string, input: PackInput, callId: string) {
    if (isTooLarge(input))
      throw refuse('payload_too_large', {
        detail: `the input is over ${trustLimits.handoffInputBytes} bytes of canonical JSON`,
      })
    const id = packId(builder, input.idempotency_key)
    return answerOnce(this.deps, { callId, subject: id, status: 201 }, async (tx) => {
      await lockSubject(`${builder}:${input.task.task_id}`).run(tx)
      if ((await findPack(tx, { pack_id: id })) !== undefined) throw alreadyBuilt(id)
      const last = await findLastPack(tx, builder, input.task.task_id)
      if (last !== undefined) assertFollows(last.status, input.state.status)
      const claims = await this.#claims(tx, { id, builder, input })
      return this.#sign(tx, { claims, input, builder, callId, seq: (last?.seq ?? 0) + 1 })
    })
  }

  /** A pack that is not one of ours is no error: the answer says why. */
  async verify(caller: string, pack: string) {
    const [judged, now] = await Promise.all([
      verifyPack(this.deps, pack),
      clockSeconds(this.deps.db),
    ])
    const { claims, key, receiptId: stored } = judged
    const expired = claims === null ? null : claims.exp <= now
    const isRecipient = claims === null ? null : claims.aud === accountOf(caller)
    const reasons = [...judged.reasons, ...(expired === true ? (['expired'] as const) : [])]
    const valid = reasons.length === 0
    const checks = [...judged.checks, ...packChecks({ claims, expired, isRecipient })]
    return {
      valid,
      reasons,
      expired,
      recipient_matches: isRecipient,
      // What the caller may do by this pack: nothing, unless it holds and is addressed to the caller.
      permitted: permittedBy(valid && isRecipient === true ? claims : null),
      checks,
      pack: claims,
      key,
      verification_packet: await packetOf(this.deps, stored),
    }
  }

  async #claims(
    tx: Tx,
    { id, builder, input }: { id: string; builder: string; input: PackInput },
  ): Promise<PackClaims> {
    const { issuer, environment } = this.deps
    const { recipient_wallet, task, permissions, state, usage } = input
    const iat = Math.floor(await clockSeconds(tx))
    if (permissions.expires_at <= iat)
      throw refuse('expired', {
        detail: 'expires_at of the permissions is not in the future',
        errors: [{ pointer: '/permissions/expires_at', message: 'is not in the future' }],
        next_action: 'Build the pack with a later expires_at.',
      })
    return {
      iss: issuer,
      iat,
      exp: permissions.expires_at,
      jti: id,
      sub: accountOf(builder),
      aud: accountOf(recipient_wallet),
      kind: 'handoff_pack',
      usage,
      environment,
      task,
      permissions,
      state,
    }
  }

  async #sign(
    tx: Tx,
    made: { claims: PackClaims; input: PackInput; builder: string; callId: string; seq: number },
  ) {
    const { claims, input, builder, callId, seq } = made
    const sign = await this.deps.signPack(tx)
    const { jws, kid } = await sign(claims)
    const pack_sha256 = sha256Hex(jws)
    const { jti: pack_id, usage, iat, exp, aud } = claims
    const facts = { pack_id, pack_sha256, builder: claims.sub, recipient: aud, expires_at: exp }
    const receipt = await issueReceipt(this.deps, tx, {
      subject: pack_id,
      kind: 'handoff',
      usage,
      facts,
    })
    await insertPack(tx, {
      pack_id,
      builder,
      recipient: input.recipient_wallet.toLowerCase(),
      task_id: input.task.task_id,
      seq,
      status: input.state.status,
      pack_sha256,
      expires_at: new Date(exp * 1000),
      jws,
      kid,
      receipt_id: receiptId(receipt),
      call_id: callId,
      issued_at: new Date(iat * 1000),
    })
    const view = receiptView(receipt)
    return { handoff_pack: jws, pack_id, pack_sha256, expires_at: exp, receipt: view }
  }
}

function assertFollows(last: PackClaims['state']['status'], next: string): void {
  const allowed = statusesAfter(last)
  if (allowed.some((status) => status === next)) return
  const may = allowed.length === 0 ? 'nothing follows' : `then ${allowed.join(' or ')} may follow`
  throw refuse('wrong_state', {
    detail: `the last pack for this task says ${last}; ${may}`,
    next_action: 'Build the pack with a status that follows, or for another task.',
  })
}

const alreadyBuilt = (id: string) =>
  refuse('already_exists', { detail: `the pack ${id} was built under this idempotency key` })

type Findings = { claims: PackClaims | null; expired: boolean | null; isRecipient: boolean | null }

function packChecks({ claims, expired, isRecipient }: Findings): ArtifactCheck[] {
  if (claims === null) return []
  const { exp, aud, permissions } = claims
  return [
    { check: 'expiry', ok: expired === false, detail: `expires at ${exp}` },
    { check: 'recipient', ok: isRecipient === true, detail: `for ${aud}` },
    {
      check: 'not_redelegated',
      ok: permissions.may_redelegate === false,
      detail: 'may not be redelegated',
    },
  ]
}

const permittedBy = (claims: PackClaims | null) => ({
  allowed_actions: claims?.permissions.allowed_actions ?? [],
  resources: claims?.permissions.resources ?? [],
})
