import { expect } from 'vitest'
import { stepsOf } from '#domain/agents/onboarding.ts'
import { verifies } from '../../../verifies.ts'

verifies('agent.steps.order', 'both sequences stand in the order of the document', () => {
  const steps = stepsOf(new Set(['submit_manifest', 'gateway_ready']))
  expect(steps.map(({ step }) => step)).toEqual([
    'submit_manifest',
    'receive_trust_state',
    'use_status_url',
    'request_quote',
    'prepare_run_contract',
    'submit_agent_run',
    'trust_approved',
    'credential_envelope_created',
    'access_key_scoped',
    'callback_or_contact_delivery',
    'rotation_ready',
    'gateway_ready',
  ])
  expect(steps.filter(({ done }) => done).map(({ step }) => step)).toEqual([
    'submit_manifest',
    'gateway_ready',
  ])
})
