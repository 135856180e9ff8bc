import { agentExamples } from './agents.ts'
import { authorityExamples } from './authority.ts'
import { clearingExamples } from './clearing.ts'
import { commerceExamples } from './commerce.ts'
import { commercialExamples } from './commercial.ts'
import { consoleExamples } from './console.ts'
import { creditExamples } from './credit.ts'
import { delegationExamples } from './delegation.ts'
import { directoryExamples } from './directories.ts'
import { evidenceExamples } from './evidence.ts'
import { exchangeExamples } from './exchange.ts'
import { harnessExamples } from './harness.ts'
import { discoveryExamples, inputExamples } from './inputs.ts'
import { listingExamples } from './listings.ts'
import { logExamples } from './log.ts'
import { loopExamples } from './loops.ts'
import { operatorExamples } from './operators.ts'
import { paymentExamples } from './payments.ts'
import { payoutExamples } from './payouts.ts'
import { pilotOfferExamples } from './pilot-offers.ts'
import { pilotRunExamples } from './pilot-runs.ts'
import { pilotExamples } from './pilots.ts'
import { productionExamples } from './production.ts'
import { profileExamples } from './profiles.ts'
import { prospectExamples } from './prospects.ts'
import { receiptExamples } from './receipts.ts'
import { runExamples } from './runs.ts'
import { sampleExamples } from './samples.ts'
import { sandboxExamples } from './sandbox.ts'
import { serviceExamples } from './services.ts'
import { taskExamples } from './tasks.ts'
import { trustExamples } from './trust.ts'
import { workflowExamples } from './workflows.ts'

const examples = {
  ...agentExamples,
  ...authorityExamples,
  ...clearingExamples,
  ...commerceExamples,
  ...commercialExamples,
  ...consoleExamples,
  ...creditExamples,
  ...delegationExamples,
  ...directoryExamples,
  ...evidenceExamples,
  ...exchangeExamples,
  ...harnessExamples,
  ...inputExamples,
  ...discoveryExamples,
  ...listingExamples,
  ...logExamples,
  ...loopExamples,
  ...operatorExamples,
  ...paymentExamples,
  ...payoutExamples,
  ...pilotOfferExamples,
  ...pilotRunExamples,
  ...pilotExamples,
  ...productionExamples,
  ...profileExamples,
  ...prospectExamples,
  ...receiptExamples,
  ...runExamples,
  ...sampleExamples,
  ...sandboxExamples,
  ...serviceExamples,
  ...taskExamples,
  ...trustExamples,
  ...workflowExamples,
}
const exampleById: Readonly<Record<string, Example>> = examples

/** A request that a reader learns from, and its answer: written by hand, and checked by a test against both schemas. */
export type Example = {
  readonly input: Readonly<Record<string, unknown>>
  /** The body of an operation that takes a stream. */
  readonly bytes?: string
  readonly output: Readonly<Record<string, unknown>>
}

/** The example of an operation by its id; throws where there is none. */
export function exampleOf({ id }: { readonly id: string }): Example {
  const example = exampleById[id]
  if (example === undefined) throw new Error(`api/examples has no example of ${id}`)
  return example
}
