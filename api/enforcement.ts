import { credentialView } from '../activities/agents/views.ts'
import { insertAudit } from '../activities/store/credential-audits.ts'
import type { Tx } from '../activities/store/db.ts'
import { digestOf } from '../workflows/domain/canonical-json.ts'
import { type Denial, judgeCredential } from '../workflows/domain/credential.ts'
import { refuse } from '../workflows/domain/errors.ts'
import { factsOf } from './auth/agent.ts'
import type { Presented } from './context.ts'
import { type AnyOperation, waysOf } from './operation.ts'

export type EnforcementInput = { operation_id: string; rail?: string | undefined; amount_usd?: number | undefined }
type EnforcementDeps = { db: Tx; registry: () => readonly AnyOperation[] }

export type Enforcement = ReturnType<typeof createEnforcement>

/** The check that the surfaces make of a credential, without the operation (endpoints.md §16, credential-enforce). */
export function createEnforcement({ db, registry }: EnforcementDeps) {
  return {
    /** Judges and records it as an audit event of this call; throws 404 for an operation that is not there. */
    judge: async (presented: Presented | undefined, input: EnforcementInput, callId: string) => {
      const operation = registry().find(({ id }) => id === input.operation_id)
      if (operation === undefined) throw refuse('not_found', 'no such operation', 'Take the id from /openapi.json.')
      const reasons = denials(operation, presented, input)
      const decision = reasons.length === 0 ? ('allow' as const) : ('deny' as const)
      const credential = presented !== undefined && 'credential' in presented ? presented.credential : null
      const auditEventId = `aud_${digestOf({ call: callId })}`
      const judged = { operationId: operation.id, credentialId: credential?.credential_id ?? null, decision }
      await insertAudit(db, { auditEventId, ...judged, reasons: reasons.map(({ code }) => code) })
      return {
        decision,
        reasons,
        credential: credential === null ? null : credentialView(credential, credential.readAt),
        audit_event_id: auditEventId,
      }
    },
  }
}

function denials(operation: AnyOperation, presented: Presented | undefined, input: EnforcementInput): Denial[] {
  const ways = waysOf(operation)
  if (!ways.includes('agent') || operation.needs === undefined) {
    if (ways.includes('public')) return []
    return [{ code: 'scope_denied', detail: 'no credential of an agent is for this operation' }]
  }
  if (presented === undefined) {
    if (ways.includes('public')) return []
    return [{ code: 'credential_required', detail: 'no credential was presented' }]
  }
  if ('refusal' in presented) return [{ code: presented.refusal.code, detail: presented.refusal.detail }]
  const wanted = { scopes: operation.needs.scopes, rail: input.rail, usd: input.amount_usd }
  return judgeCredential(factsOf(presented.credential), wanted, presented.credential.readAt)
}
