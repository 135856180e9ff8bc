import type { Config } from '../../../activities/config/config.ts'
import { modelNamed } from '../../../activities/config/model-settings.ts'
import { askForAnalysis } from '../../../temporal/analyses.ts'
import { ReceiptService } from '../receipts/verification.ts'
import { EvidenceAnalyses, type EvidenceDeps } from './analyses.ts'
import { ReceiptCompletions } from './completions.ts'
import { InvestorDemo } from './investor-demo.ts'
import { ProofRelays } from './relays.ts'

type Adapters = Pick<
  EvidenceDeps,
  'db' | 'proofs' | 'issuer' | 'environment' | 'signReceipt' | 'samples'
> & {
  config: Config
  client: Parameters<typeof askForAnalysis>[0]
  publicPool: EvidenceDeps['pool']
}

/** The services that analyse evidence, relay analyses and complete receipts of providers. */
export function openEvidence({ config, client, publicPool: pool, ...adapters }: Adapters) {
  const deps = {
    ...adapters,
    baseUrl: config.BASE_URL,
    pool,
    model: modelNamed(config),
    callsPerCaller: config.MODEL_ANALYSIS_CALLS_PER_CALLER,
    callsInAll: config.MODEL_ANALYSIS_CALLS_PER_DAY,
    ask: askForAnalysis.bind(null, client),
  }
  const analyses = new EvidenceAnalyses(deps)
  const receipts = new ReceiptService(deps.db, deps.issuer)
  const relays = new ProofRelays({ ...deps, analyses, receipts })
  return {
    analyses,
    relays,
    completions: new ReceiptCompletions({ ...deps, receipts }),
    investorDemo: new InvestorDemo({ ...deps, analyses, relays }),
  }
}

export type EvidenceServices = ReturnType<typeof openEvidence>
