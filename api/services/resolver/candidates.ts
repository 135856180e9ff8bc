import type { Kysely } from 'kysely'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { Candidate } from '#domain/resolver/candidate.ts'
import { type Inspection, inspect } from '#domain/resolver/inspection.ts'
import { readTarget } from '../../../activities/http/address-rules.ts'
import type { SendOutgoing } from '../../../activities/http/outgoing.ts'
import { readDocument } from '../../../activities/http/read-document.ts'
import { createSlots, type Slots } from '../../../activities/runs/isolation/slots.ts'
import { CHECKSUMS_MAX } from '../../../activities/screening/recovery-phrase.ts'
import { nameSecret } from '../../../activities/screening/secret-patterns.ts'
import { type Changes, lookUntil } from '../../../activities/store/postgres/changes.ts'
import {
  beginInspection,
  endInspection,
  findService,
  giveBackInspection,
  observeCandidate,
  type ServiceRow,
} from '../../../activities/store/resolver/candidates.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'

type CandidateDeps = {
  db: Kysely<Database>
  changes: Pick<Changes, 'wait'>
  /** The guarded client, without exemptions. */
  send: SendOutgoing
  /** Host names of this service. */
  ownHosts: readonly string[]
}
/** A service of someone else with its inspection. */
export type Inspected = ServiceRow & { inspection: Inspection }

/** Services of others: stored as they are described, inspected once by one guarded request, and never called. */
export class Candidates {
  private readonly deps: CandidateDeps
  readonly #slots: Slots = createSlots(limits.inspectionsAtOnce)
  #begun = 0

  constructor(deps: CandidateDeps) {
    this.deps = deps
  }

  /**
   * Stores a candidate and inspects it, unless that was done within the hour. Throws 400 `candidate_denied` for a URL that no service may
   * have and for what an operator denied, 429 at a quota or while too many inspections wait, and 409 `not_ready` while another process inspects it.
   */
  async observe(candidate: Candidate, agentId: string | undefined): Promise<Inspected> {
    const { db, ownHosts } = this.deps
    const target = readTarget(candidate.url, ownHosts)
    if (!target.ok) throw denied(`the URL is refused: ${target.reason}`)
    const bounds = {
      hostDayMax: limits.candidatesOfHostPerDay,
      waitingMax: limits.candidatesWaitingMax,
      senderMax:
        agentId === undefined ? limits.candidatesOfAnonymousMax : limits.candidatesOfAgentMax,
    }
    const stored = await observeCandidate(db, { candidate, agentId }, bounds)
    if (typeof stored === 'string') throw refusals[stored]()
    if (stored.state === 'denied') throw denied('an operator has denied this service')
    if (await beginInspection(db, stored.service_id))
      await this.#inspectClaimed(candidate, stored.service_id)
    return this.#inspected(stored.service_id)
  }

  async find(serviceId: string): Promise<ServiceRow | undefined> {
    return serviceId.startsWith('cand_') ? findService(this.deps.db, serviceId) : undefined
  }

  async #inspectClaimed(candidate: Candidate, serviceId: string): Promise<void> {
    const { db } = this.deps
    if (this.#begun >= limits.inspectionsAtOnce + limits.inspectionsWaitingMax) {
      await giveBackInspection(db, serviceId)
      throw tooManyInspections()
    }
    this.#begun += 1
    try {
      await endInspection(db, serviceId, await this.#inspect(candidate))
    } finally {
      this.#begun -= 1
    }
  }

  async #inspect(candidate: Candidate): Promise<Inspection> {
    const { send, ownHosts } = this.deps
    const release = await this.#slots('inspection')
    try {
      const read = await readDocument(send, candidate)
      const secret =
        'text' in read ? nameSecret(read.text, { checksums: CHECKSUMS_MAX }) : undefined
      return inspect(candidate, read, { ownHosts, secret })
    } finally {
      release()
    }
  }

  async #inspected(serviceId: string): Promise<Inspected> {
    const { db, changes } = this.deps
    const found = await lookUntil(changes, serviceId, limits.inspectionWaitMs, async () => {
      const row = await findService(db, serviceId)
      return row?.inspection == null ? undefined : (row as Inspected)
    })
    if (found !== undefined) return found
    throw refuse('not_ready', {
      detail: 'the service is still being inspected',
      next_action: 'Send the same call again.',
      retry_after_ms: 2_000,
    })
  }
}

export const denied = (detail: string): DomainError => refuse('candidate_denied', { detail })

const tooManyInspections = () =>
  refuse('rate_limited', {
    detail: 'too many inspections wait',
    next_action: 'Send the same call again.',
    retry_after_ms: 5_000,
  })

const refusals: Record<
  Extract<Awaited<ReturnType<typeof observeCandidate>>, string>,
  () => DomainError
> = {
  too_many_of_host: () =>
    refuse('rate_limited', {
      detail: `${limits.candidatesOfHostPerDay} services of this host were submitted within a day`,
      next_action: 'Submit the next one tomorrow.',
      retry_after_ms: 3_600_000,
    }),
  too_many_of_sender: () =>
    refuse('rate_limited', {
      detail: `${limits.candidatesOfAgentMax} services of an agent, or ${limits.candidatesOfAnonymousMax} of all callers without one, wait for the decision of an operator`,
      next_action: 'Submit it again later, or as an agent.',
      retry_after_ms: 3_600_000,
    }),
  too_many_waiting: () =>
    refuse('rate_limited', {
      detail: `${limits.candidatesWaitingMax} services wait for the decision of an operator`,
      next_action: 'Submit it again later.',
      retry_after_ms: 3_600_000,
    }),
}
