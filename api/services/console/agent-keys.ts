import type { Kysely } from 'kysely'
import { allowedDecisions } from '#domain/agents/trust.ts'
import { refuse } from '#domain/core/errors.ts'
import { agentView, credentialView } from '../../../activities/agents/views.ts'
import {
  type CredentialRow,
  listCredentials,
} from '../../../activities/store/agents/agent-credentials.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { listTrustDecisions } from '../../../activities/store/console/agents.ts'
import { clockSeconds } from '../../../activities/store/postgres/db.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { type RevokeInput, revokeWithReceipt } from '../agents/credentials.ts'
import type { Issuing } from '../agents/deps.ts'
import { readKeyVersions } from '../agents/key-versions.ts'
import { changeLimits, type LimitsInput } from '../agents/limits.ts'

const DECISIONS_MAX = 50

/** One agent as operators look at it, a change of its limits, and the end of an access key. */
export class AgentKeyService {
  private readonly deps: Issuing & { db: Kysely<Database> }

  constructor(deps: Issuing & { db: Kysely<Database> }) {
    this.deps = deps
  }

  /** Throws 404 for an unknown agent. */
  async read(agentId: string) {
    const { db } = this.deps
    const agent = await findAgent(db, agentId)
    if (agent === undefined)
      throw refuse('not_found', { detail: 'no such agent', next_action: 'Check the id.' })
    const [now, accessKeys, { versions }, decisions] = await Promise.all([
      clockSeconds(db),
      listCredentials(db, agentId),
      readKeyVersions(db, agentId),
      listTrustDecisions(db, agentId, DECISIONS_MAX),
    ])
    const { public_key: _, ...view } = agentView(agent)
    return {
      agent: view,
      sandbox: agent.sandbox,
      email: agent.contact.email ?? null,
      requested_scopes: agent.requested_scopes,
      allowed_decisions: allowedDecisions(agent.trust_state),
      access_keys: accessKeys.map((row) => accessKeyView(row, now)),
      signing_keys: versions,
      decisions: decisions.map(({ decided_at, ...decision }) => ({
        ...decision,
        decided_at: decided_at.toISOString(),
      })),
    }
  }

  /** Throws 404 for an unknown key and 409 for one that is revoked. */
  async revoke(revocation: RevokeInput, callId: string): Promise<void> {
    const answer = { callId, subject: revocation.credentialId, status: 200 }
    await answerOnce(this.deps, answer, (tx) => revokeWithReceipt(this.deps, tx, revocation))
  }

  /** Throws 404 for an unknown agent and 409 for one that is not trusted. */
  async setLimits(asked: LimitsInput, callId: string): Promise<void> {
    const answer = { callId, subject: asked.agentId, status: 200 }
    await answerOnce(this.deps, answer, (tx) => changeLimits(this.deps, tx, asked))
  }
}

const accessKeyView = (row: CredentialRow, now: number) => ({
  ...credentialView(row, now),
  created_at: row.created_at.toISOString(),
  claimed_at: row.claimed_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
})
