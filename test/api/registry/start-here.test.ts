import { expect } from 'vitest'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { agentTools } from '../../../api/registry/agent-tools.ts'
import { startHere } from '../../../api/registry/start-here.ts'
import { StartHere } from '../../../api/shapes/start-here.ts'
import { railOf } from '../../../workflows/domain/rails/index.ts'
import { type RailKey, railKeys } from '../../../workflows/domain/rails/rail.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations
const urls = { baseUrl: 'https://svc.example', osUrl: 'https://os.example' }
/** contractops is for discovery only. */
const sold = railKeys.filter((key) => key !== 'contractops')
const bodyOf = (rail: RailKey, operationId: string) =>
  startHere(registry, urls, rail).steps.find(({ operation_id }) => operation_id === operationId)
    ?.example_body

verifies('discovery.start-here', 'each rail that is sold gives bodies with its own input', () => {
  for (const rail of sold) {
    expect(() => StartHere.parse(startHere(registry, urls, rail)), rail).not.toThrow()
    expect(bodyOf(rail, 'agent-quote')).toMatchObject({ rail })
    expect(bodyOf(rail, 'self-serve-loop-submit')).toMatchObject({
      input: railOf(rail).sandboxInput,
    })
  }
})

/** The ordered sequences of Doc 1, § States and transitions. */
const documented = {
  self_onboarding:
    'submit_manifest, receive_trust_state, use_status_url, request_quote, prepare_run_contract, submit_agent_run',
  access_key_delivery:
    'trust_approved, credential_envelope_created, access_key_scoped, callback_or_contact_delivery, rotation_ready, gateway_ready',
  full_reference_run:
    'onboarding, trust, quote, provider_route, credit_entitlement, run_contract, queue, tokenops_execution, result_contract, settlement_receipt, usage_receipt, callback, task_ledger, attestation',
  provider_activation:
    'provider_event, webhook_verification, provider_confirmation, credit_funding_event, settlement_receipt, run_eligibility, result_contract, callback',
  controlled_pilot_activation:
    'request, auth_validation, tool_scope, payload_validation, runtime_write, audit_event, controlled_pilot',
  exception_recovery: 'exception_ticket, recovery_request, replay_package',
}

verifies(
  ['discovery.start-here', 'discovery.agent-tools'],
  'the six sequences of the document are printed in their order',
  () => {
    for (const printed of [
      startHere(registry, urls, 'tokenops').sequences,
      agentTools(registry, urls, []).sequences,
    ])
      expect(
        Object.fromEntries(printed.map(({ name, steps }) => [name, steps.join(', ')])),
      ).toEqual(documented)
  },
)

verifies('discovery.start-here', 'a step names only members of its body and earlier steps', () => {
  const seen = new Set<string>()
  for (const { operation_id, example_body, replace } of startHere(registry, urls, 'tokenops')
    .steps) {
    for (const { place, name, from } of replace) {
      if (place === 'body') expect(Object.keys(example_body ?? {}), operation_id).toContain(name)
      if (from !== null) expect(seen, operation_id).toContain(from)
    }
    seen.add(operation_id)
  }
})

verifies('discovery.start-here', 'a registry without one of the operations is an error', () => {
  const others = registry.filter(({ id }) => id !== 'agent-quote')
  expect(() => startHere(others, urls, 'tokenops')).toThrow('there is no operation agent-quote')
})
