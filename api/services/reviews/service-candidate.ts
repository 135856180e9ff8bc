import { candidateDecisions, candidateTransitions } from '#domain/resolver/candidate.ts'
import {
  countServices,
  decideService,
  findService,
  listCandidates,
  lockService,
  type ServiceRow,
} from '../../../activities/store/resolver/candidates.ts'
import { notAllowed, unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'

/** Services of others: approved to be listed and asked for, or denied. An approval can be taken back. */
export const candidateSubject: ReviewSubject = {
  kind: 'service_candidate',
  list: async (tx, filter, most) =>
    (await listCandidates(tx, filter, most)).map((service) => ({
      since: service.state_since,
      describe: async () => listed(service),
    })),
  count: (tx, filter) => countServices(tx, filter),
  evidence: async (tx, serviceId) => {
    const service = await findService(tx, serviceId)
    return service && { since: service.state_since, content: contentOf(service) }
  },
  decide: async (tx, { subjectId: serviceId, decision, decisionId }, assert) => {
    const service = await lockService(tx, serviceId)
    if (service === undefined) throw unknownSubject('no such service')
    await assert.waitsSince(service.state_since)
    const allowed = allowedOn(service)
    const state = candidateTransitions[service.state][decision]
    if (state === undefined || !allowed.includes(decision))
      throw notAllowed(
        `the service is ${service.state}${isRead(service) ? '' : ', and nothing was read of it'}`,
        allowed,
      )
    await assert.evidenceSeen()
    const decided = await decideService(tx, serviceId, { state, decision_id: decisionId })
    const document_sha256 = decided.inspection?.document?.sha256 ?? null
    return { state, view: { service_id: serviceId, state }, facts: { document_sha256 } }
  },
}

const isRead = ({ inspection }: ServiceRow): boolean => inspection?.document != null
const allowedOn = (service: ServiceRow) => candidateDecisions(service.state, isRead(service))

function contentOf(service: ServiceRow) {
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
}

function listed(service: ServiceRow): WaitingSubject {
  const { service_id, state, state_since, name, url, inspection } = service
  return {
    subject_kind: 'service_candidate',
    subject_id: service_id,
    state,
    waiting_since: state_since.toISOString(),
    rail: null,
    summary: `List the service ${name} at ${url}; risk ${inspection?.risk ?? 'unknown'}`,
    // The URL is in the evidence; a link would lead operators to a page that anyone may name.
    evidence_links: [],
    amount_usd: null,
    allowed_decisions: allowedOn(service),
  }
}
