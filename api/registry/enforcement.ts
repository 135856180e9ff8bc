import {
  checkCredential,
  credentialChecks,
  type Denial,
  scopes,
} from '#domain/agents/credential.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { credentialView } from '../../activities/agents/views.ts'
import {
  countAudits,
  findAudit,
  insertAudit,
} from '../../activities/store/agents/agent-credentials.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { factsOf } from '../auth/credential-standing.ts'
import type { Enforcement, EnforcementInput, Presented } from '../context.ts'
import { type AnyOperation, waysOf } from '../operation.ts'

type EnforcementDeps = { db: Tx; registry: readonly AnyOperation[] }

/** Checks credentials against the operations of the registry. */
export function createEnforcement({ db, registry }: EnforcementDeps): Enforcement {
  return {
    policy: async (auditEventId) => ({
      scopes: [...scopes],
      operations: registry.map((operation) => ({
        operation_id: operation.id,
        access: [...waysOf(operation)],
        scopes: [...(operation.needs?.scopes ?? [])],
        gated: operation.gate !== undefined,
      })),
      order_of_checks: credentialChecks.map(({ check, code, rule }) => ({ check, code, rule })),
      error_codes: [...new Set(credentialChecks.map(({ code }) => code))],
      live: await countAudits(db),
      audit: auditEventId === undefined ? null : await auditOf(db, auditEventId),
    }),
    check: async (presented, input, callId) => {
      const operation = registry.find(({ id }) => id === input.operation_id)
      if (operation === undefined)
        throw refuse('not_found', {
          detail: 'no such operation',
          next_action: 'Take the id from /openapi.json.',
        })
      const reasons = denials(operation, presented, input)
      const decision: 'allow' | 'deny' = reasons.length === 0 ? 'allow' : 'deny'
      const credential =
        presented !== undefined && 'credential' in presented ? presented.credential : null
      const auditEventId = `aud_${digestOf({ call: callId })}`
      const checked = {
        operationId: operation.id,
        credentialId: credential?.credential_id ?? null,
        decision,
      }
      await insertAudit(db, { auditEventId, ...checked, reasons: reasons.map(({ code }) => code) })
      return {
        decision,
        reasons,
        credential: credential === null ? null : credentialView(credential, credential.readAt),
        audit_event_id: auditEventId,
      }
    },
  }
}

function denials(
  operation: AnyOperation,
  presented: Presented | undefined,
  input: EnforcementInput,
): Denial[] {
  const ways = waysOf(operation)
  if (!ways.includes('agent') || operation.needs === undefined) {
    if (ways.includes('public')) return []
    return [{ code: 'scope_denied', detail: 'no credential of an agent is for this operation' }]
  }
  if (presented === undefined) {
    if (ways.includes('public')) return []
    return [{ code: 'credential_required', detail: 'no credential was presented' }]
  }
  if ('refusal' in presented)
    return [{ code: presented.refusal.code, detail: presented.refusal.detail }]
  const wanted = { scopes: operation.needs.scopes, rail: input.rail, usd: input.amount_usd }
  return checkCredential(factsOf(presented.credential), wanted, presented.credential.readAt)
}

/** The event of a check, without the key that was checked. */
async function auditOf(db: Tx, auditEventId: string) {
  const found = await findAudit(db, auditEventId)
  if (found === undefined)
    throw refuse('not_found', {
      detail: 'no such audit event',
      next_action: 'Read the event of a production write at GET /api/production-write-gate.',
    })
  return { ...found, reasons: found.reasons as Denial['code'][], at: found.at.toISOString() }
}
