import { askForAnalysis } from '../../../temporal/analyses.ts'
import type { Adapters } from '../../adapters.ts'
import type { CommerceServices } from '../commerce/open.ts'
import type { ReceiptServices } from '../receipts/open.ts'
import { EvidenceAnalyses } from './analyses.ts'
import { ReceiptCompletions } from './completions.ts'
import { InvestorDemo } from './investor-demo.ts'
import { ProofRelays } from './relays.ts'

/** The services that analyse evidence, relay analyses and complete receipts of providers. */
export function openEvidence(
  adapters: Adapters,
  { commerceProofs: proofs, receipts, samples }: CommerceServices & ReceiptServices,
) {
  const { config, client } = adapters
  const deps = {
    ...adapters,
    proofs,
    receipts,
    samples,
    callsPerCaller: config.MODEL_ANALYSIS_CALLS_PER_CALLER,
    callsInAll: config.MODEL_ANALYSIS_CALLS_PER_DAY,
    ask: askForAnalysis.bind(null, client),
  }
  const analyses = new EvidenceAnalyses(deps)
  const relays = new ProofRelays({ ...deps, analyses })
  return {
    analyses,
    relays,
    completions: new ReceiptCompletions(deps),
    investorDemo: new InvestorDemo({ ...deps, analyses, relays }),
  }
}
