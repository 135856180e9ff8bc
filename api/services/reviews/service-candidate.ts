import { move } from '#domain/core/state-table.ts'
import { candidateDecisions, candidateTransitions } from '#domain/resolver/candidate.ts'
import {
  decideService,
  findService,
  lockService,
  type ServiceRow,
  waitingServices,
} from '../../../activities/store/resolver/candidates.ts'
import { reviewOf } from './record-subject.ts'

const isRead = ({ inspection }: ServiceRow): boolean => inspection?.document != null

/** Services of others: approved to be listed and asked for, or denied. An approval can be taken back. */
export const candidateSubject = reviewOf<ServiceRow>({
  kind: 'service_candidate',
  name: 'service',
  rows: { find: findService, lock: lockService, waiting: waitingServices },
  since: ({ state_since }) => state_since,
  state: ({ state }) => state,
  allowed: (service) => candidateDecisions(service.state, isRead(service)),
  reason: (service) =>
    `the service is ${service.state}${isRead(service) ? '' : ', and nothing was read of it'}`,
  // The URL is in the evidence; a link would lead operators to a page that anyone may name.
  line: ({ service_id, name, url, inspection }) => ({
    subject_id: service_id,
    summary: `List the service ${name} at ${url}; risk ${inspection?.risk ?? 'unknown'}`,
  }),
  content: (_tx, service) => {
    const { name, url, description, protocols, schema, agent_id, inspection, state } = service
    return {
      request: { name, url, description, protocols, schema, agent_id },
      checks: inspection?.checks,
      findings: inspection && {
        risk: inspection.risk,
        document: inspection.document,
        unread: inspection.unread,
        inspected_at: service.inspected_at?.toISOString(),
      },
      history: { state, submitted_at: service.submitted_at.toISOString() },
    }
  },
  decide: async (tx, { service_id, state: from }, { decision, decisionId }) => {
    const state = move('the service', candidateTransitions, from, decision)
    const decided = await decideService(tx, service_id, { state, decision_id: decisionId })
    const document_sha256 = decided.inspection?.document?.sha256 ?? null
    return { state, view: { service_id, state }, facts: { document_sha256 } }
  },
})
