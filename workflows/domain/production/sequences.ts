import { accessKeyDelivery, selfOnboarding } from '../agents/onboarding.ts'
import { activationSteps as providerActivation } from '../payments/provider-activation.ts'
import { activationSteps as pilotActivation } from './activation-chain.ts'

/** The ordered sequences of the document, under its names. */
const sequences: readonly { name: string; steps: readonly string[] }[] = [
  { name: 'self_onboarding', steps: selfOnboarding },
  { name: 'access_key_delivery', steps: accessKeyDelivery },
  {
    name: 'full_reference_run',
    steps: [
      'onboarding',
      'trust',
      'quote',
      'provider_route',
      'credit_entitlement',
      'run_contract',
      'queue',
      'tokenops_execution',
      'result_contract',
      'settlement_receipt',
      'usage_receipt',
      'callback',
      'task_ledger',
      'attestation',
    ],
  },
  { name: 'provider_activation', steps: providerActivation },
  { name: 'controlled_pilot_activation', steps: pilotActivation },
  {
    name: 'exception_recovery',
    steps: ['exception_ticket', 'recovery_request', 'replay_package'],
  },
]

/** The sequences as documents print them. */
export const printedSequences = () =>
  sequences.map(({ name, steps }) => ({ name, steps: [...steps] }))
