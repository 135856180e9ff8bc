import { railOf } from '#domain/rails/index.ts'
import { isCurrent } from '#domain/rails/rail.ts'
import { decisionOn, type InspectionDecision } from '#domain/resolver/candidate.ts'
import type { Listed } from '#domain/resolver/catalogue.ts'
import type { CandidateCheck, Risk } from '#domain/resolver/inspection.ts'
import type { Inspected } from './candidates.ts'

/** A service of ours, or an approved one, as callers see it. */
export function serviceView(listed: Listed) {
  const { service_id, origin, kind, name, summary, capabilities, protocols } = listed
  const { price_usd: price, access, state } = listed
  return { service_id, origin, kind, name, summary, capabilities, protocols, price, access, state }
}

/** A service of someone else; its words are shown once an operator has approved it. */
export function candidateView(row: Inspected) {
  const { service_id, name, url, description, protocols, state, inspection } = row
  const isShown = state === 'approved'
  return {
    service_id,
    origin: 'registry' as const,
    kind: 'candidate' as const,
    name: isShown ? name : null,
    url: isShown ? url : null,
    summary: isShown ? (description ?? name) : null,
    protocols,
    state,
    document_sha256: inspection.document?.sha256 ?? null,
    inspected_at: row.inspected_at?.toISOString() ?? null,
  }
}

/** What an inspection says of a service: what was checked, how risky its use is, and whether it may be used. */
type InspectionView = {
  checks: CandidateCheck[]
  risk: Risk
  decision: InspectionDecision
}

export const inspectionOf = ({ inspection, state }: Inspected): InspectionView => ({
  checks: [
    { check: 'url', ok: true, detail: 'the form of the URL is that of a public HTTPS service' },
    ...inspection.checks,
    {
      check: 'approved',
      ok: state === 'approved',
      detail: `an operator ${{ observed: 'has not decided yet', approved: 'approved it', denied: 'denied it' }[state]}`,
    },
  ],
  risk: inspection.risk,
  decision: decisionOn[state],
})

function priceText(usd: number | null, isOffered: boolean): string {
  if (usd === null) return isOffered ? 'it is quoted' : 'it is not sold'
  return usd === 0 ? 'it is free' : `its smallest run costs ${usd} usd`
}

/** The same of our own services, from what their rail or operation declares, and from the switches of rails. */
export function inspectionOfOwn(
  { kind, rail, price_usd, operation, state }: Listed,
  paused: ReadonlySet<string>,
): InspectionView {
  const runs = rail === null || isCurrent(railOf(rail))
  const isPaused = rail !== null && paused.has(rail)
  const isOffered = runs && state === 'available' && !isPaused
  const announced = isOffered ? 'it runs today' : 'it is announced'
  return {
    checks: [
      { check: 'first_party', ok: true, detail: `a ${kind.replace('_', ' ')} of this service` },
      {
        check: 'available',
        ok: isOffered,
        detail: isPaused ? 'it is paused' : announced,
      },
      {
        check: 'price',
        ok: true,
        detail: priceText(price_usd, isOffered),
      },
      {
        check: 'runs_here',
        ok: operation !== null,
        detail:
          operation === null ? 'run_service does not run it' : `run_service runs ${operation}`,
      },
    ],
    risk: 'low',
    decision: isOffered ? 'allowed' : 'denied',
  }
}
