import { AUDIT_PACK_TYP } from '#domain/reviews/audit-pack.ts'
import { signerOf } from '../../../activities/container.ts'
import { targetAges } from '../../../temporal/late-rows.ts'
import type { Adapters } from '../../adapters.ts'
import type { PilotServices } from '../pilots/open.ts'
import type { RunServices } from '../runs/open.ts'
import { AuditPackService } from './audit-pack.ts'
import { InboxService } from './inbox.ts'
import { ReviewService } from './reviews.ts'
import { RuntimeRunService } from './runtime-runs.ts'
import { reviewSubjects } from './subjects.ts'

/** What operators decide, and what waits for them. */
export function openReviews(
  adapters: Adapters,
  { pilotRuns: pilots, sandbox }: PilotServices & RunServices,
) {
  const { config, keys, gateway, baseUrl, osUrl } = adapters
  const reviews = new ReviewService({
    ...adapters,
    subjects: reviewSubjects(adapters),
    wakeTask: gateway.wake,
    hosts: { base: baseUrl, os: osUrl },
  })
  return {
    reviews,
    auditPacks: new AuditPackService({ ...adapters, sign: signerOf(keys, AUDIT_PACK_TYP) }),
    inbox: new InboxService({ ...adapters, reviews, ages: targetAges(config) }),
    runtimeRuns: new RuntimeRunService({ ...adapters, pilots, reviews, sandbox }),
  }
}
