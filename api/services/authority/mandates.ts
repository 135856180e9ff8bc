import {
  authorityLimits,
  type MandateTerms,
  type SignedMandate,
  termFaults,
  termWarnings,
} from '#domain/authority/artifacts.ts'
import { evaluateMandate } from '#domain/authority/evaluate.ts'
import { grantStateAt, mandateStateAt, remainingOf } from '#domain/authority/facts.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { readArtifact, signArtifact } from '../../../activities/authority/artifacts.ts'
import { type AuthorityDeps, writeAuthorityReceipt } from '../../../activities/authority/deps.ts'
import { authorityKeyStatus, readMandate } from '../../../activities/authority/facts.ts'
import { releaseUnused } from '../../../activities/authority/firing-charge.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { listGrants } from '../../../activities/store/authority/grants.ts'
import {
  countAuthority,
  findDraft,
  lockAuthorityMandate,
  revokeAuthorityMandate,
  storeAuthorityMandate,
  storeDraft,
} from '../../../activities/store/authority/mandates.ts'
import { listPauses } from '../../../activities/store/operators/controls.ts'
import { revokePayoutMandate } from '../../../activities/store/payouts/mandates.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { issueAp2, revokeIssuedAp2 } from './ap2.ts'

type Operator = { operatorId: string; name: string }
/** Terms as a caller drafts them; a mandate without a start is valid from its issue. */
export type TermsAsked = Omit<MandateTerms, 'valid_from' | 'rails' | 'resources'> & {
  valid_from?: string | undefined
  rails: MandateTerms['rails']
  resources: string[]
}
type IssueAsked = { idempotency_key: string } & ({ draft_id: string } | { terms: TermsAsked })
type RevokeAsked = { mandate_id: string; reason: string }

const GRANTS_SHOWN = 100

/** Mandates of the authority: drafts of any caller, and what operators issue and revoke. */
export class MandateService {
  private readonly deps: AuthorityDeps

  constructor(deps: AuthorityDeps) {
    this.deps = deps
  }

  /** Stores the terms unsigned, under their digest. 422 `limits_invalid`. */
  async draft(asked: TermsAsked, delegable: readonly string[]) {
    const { db } = this.deps
    const nowMs = (await clockSeconds(db)) * 1000
    const terms = termsAt(asked, nowMs)
    assertSound(terms, nowMs)
    // A draft without a start is the same draft at any time.
    const digest = digestOf(asked.valid_from === undefined ? { ...terms, valid_from: '' } : terms)
    const draft_id = `dr_${digest}`
    const stored = await storeDraft(db, draft_id, terms, authorityLimits.draftHours)
    return {
      mandate_draft: stored.terms,
      draft_id,
      digest,
      missing: ['mandate_id', 'issuer', 'key_id', 'signature'],
      warnings: termWarnings(terms, delegable),
    }
  }

  /** Signs a mandate of these terms, or of a draft; the same operator and key give the first one again. */
  async issue(operator: Operator, asked: IssueAsked) {
    const { db, keys, origin } = this.deps
    const { idempotency_key } = asked
    const mandate_id = `mdt_${digestOf({ operator: operator.operatorId, idempotency_key })}`
    return transaction(db, async (tx) => {
      const nowSeconds = await clockSeconds(tx)
      const terms = await termsOf(tx, asked, nowSeconds * 1000)
      assertSound(terms, nowSeconds * 1000)
      await assertAgent(tx, terms.agent_id)
      const signed = await signArtifact('mandate', await authorityKeyStatus(keys, tx), {
        schema: 'authority-mandate.v1',
        version: 1,
        mandate_id,
        issuer: origin,
        ...terms,
        may_redelegate: false,
      })
      const { document } = await storeAuthorityMandate(tx, rowOf(signed, operator))
      const { agent_id, principal_id, limits, expires_at } = document
      const issued = { mandate_id, agent_id, principal_id, ...limits, expires_at }
      const facts = { ...issued, mandate_sha256: digestOf(document), issued_by: operator.name }
      const receipt = await writeAuthorityReceipt(this.deps, tx, {
        subject: mandate_id,
        kind: 'mandate',
        facts,
        nowSeconds,
      })
      return { signed_mandate: document, mandate_id, receipt }
    })
  }

  /** As `issueAp2`. */
  issueAp2(operator: Operator, asked: Parameters<typeof issueAp2>[2]) {
    return issueAp2(this.deps, operator, asked)
  }

  /** What a presented mandate is worth now. An agent sees its own; 403 `not_owner`. */
  async inspect(presented: Record<string, unknown>, agentId: string | undefined) {
    return transaction(this.deps.db, async (tx) => {
      const keyStatus = await authorityKeyStatus(this.deps.keys, tx)
      const nowMs = (await clockSeconds(tx)) * 1000
      const { facts, row } = await readMandate(tx, { keyStatus, lock: false }, presented)
      const checks = evaluateMandate(facts, nowMs)
      const valid = checks.every(({ ok }) => ok)
      if ('flaw' in facts || row === undefined)
        return { valid, state: null, checks, remaining: null, grants: [] }
      if (agentId !== undefined && agentId !== row.agent_id)
        throw refuse('not_owner', { detail: 'the mandate is for another agent' })
      const grants = await listGrants(tx, row.mandate_id, GRANTS_SHOWN)
      return {
        valid,
        state: mandateStateAt(facts, nowMs),
        checks,
        remaining: remainingOf(facts),
        grants: grants.map(({ grant_id, operation_id, state, document }) => ({
          grant_id,
          operation_id,
          state: grantStateAt({ state, terms: document }, nowMs),
          expires_at: document.expires_at,
        })),
      }
    })
  }

  /** Revokes a mandate and its unused grants; from the commit on, no action, payment or payout starts under it. A repeat answers the same. */
  async revoke(operator: Operator, { mandate_id, reason }: RevokeAsked) {
    return transaction(this.deps.db, async (tx) => {
      const by = { mandateId: mandate_id, by: operator.name, reason }
      const { revoked_grants, usage } = await revokeIn(tx, by)
      const released_usd = await releaseUnused(tx, mandate_id)
      const receipt = await writeAuthorityReceipt(this.deps, tx, {
        subject: mandate_id,
        kind: 'mandate_revoked',
        facts: { mandate_id, reason, revoked_grants, released_usd, revoked_by: operator.name },
        usage,
        nowSeconds: await clockSeconds(tx),
      })
      return { mandate_id, state: 'revoked' as const, revoked_grants, receipt }
    })
  }

  /** The id in a mandate that this authority signed; 403 `authority_denied`. */
  async idOf(presented: Record<string, unknown>): Promise<string> {
    const { db, keys } = this.deps
    const keyStatus = await transaction(db, (tx) => authorityKeyStatus(keys, tx))
    const read = readArtifact('mandate', keyStatus, presented)
    if ('artifact' in read) return read.artifact.mandate_id
    throw refuse('authority_denied', { detail: 'the mandate is not one of this authority' })
  }

  async live() {
    const { db } = this.deps
    return { ...(await countAuthority(db)), paused: (await listPauses(db)).length > 0 }
  }
}

type Revoking = { mandateId: string; by: string; reason: string }

type Revoked = { revoked_grants: number; usage: string }

/** Revokes a mandate of the authority, of AP2 or for a payout; answers how many grants went with it, and its usage. 404. */
async function revokeIn(tx: Tx, by: Revoking): Promise<Revoked> {
  const known = await lockAuthorityMandate(tx, by.mandateId)
  if (known !== undefined) {
    const revoked_grants = known.revoked_at === null ? await revokeAuthorityMandate(tx, by) : 0
    return { revoked_grants, usage: 'operational' }
  }
  if (await revokeIssuedAp2(tx, by)) return { revoked_grants: 0, usage: 'operational' }
  const usage = await revokePayoutMandate(tx, by)
  if (usage !== undefined) return { revoked_grants: 0, usage }
  throw refuse('not_found', { detail: 'no such mandate' })
}

const termsAt = (asked: TermsAsked, nowMs: number): MandateTerms => ({
  ...asked,
  valid_from: asked.valid_from ?? new Date(Math.floor(nowMs / 1000) * 1000).toISOString(),
})

async function termsOf(tx: Tx, asked: IssueAsked, nowMs: number): Promise<MandateTerms> {
  if ('terms' in asked) return termsAt(asked.terms, nowMs)
  const draft = await findDraft(tx, asked.draft_id)
  if (draft !== undefined) return draft.terms
  throw refuse('not_found', {
    detail: 'no such draft, or it has expired',
    next_action: 'Draft the mandate again.',
  })
}

function assertSound(terms: MandateTerms, nowMs: number): void {
  const errors = termFaults(terms, nowMs)
  if (errors.length === 0) return
  throw refuse('limits_invalid', {
    detail: errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('; '),
    errors,
  })
}

async function assertAgent(tx: Tx, agentId: string): Promise<void> {
  if ((await findAgent(tx, agentId)) !== undefined) return
  throw refuse('not_found', { detail: 'no such agent' })
}

function rowOf(signed: SignedMandate, operator: Operator) {
  return {
    mandate_id: signed.mandate_id,
    agent_id: signed.agent_id,
    document: JSON.stringify(signed),
    ...signed.limits,
    valid_from: new Date(signed.valid_from),
    expires_at: new Date(signed.expires_at),
    issued_by: operator.name,
  }
}
