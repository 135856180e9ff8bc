import { expect } from 'vitest'
import { toolsOf } from '../../../api/mcp/tools.ts'
import type { AnyOperation } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { toolNames } from '../../../api/tool-names.ts'
import { verifies } from '../../verifies.ts'

const registry: readonly AnyOperation[] = operations

/** The tools as the first product document lists them. */
const documented =
  'list_rails, quote_run, create_payment_challenge, start_rail_run, get_run_status, fetch_return_package, record_receipt, validate_production_write, find_services, inspect_service, request_service_use, run_service, execute_first_paid_production_run, run_agent_to_agent_test, get_provider_callback_receiver_examples, publish_verified_commerce_proof, read_verified_commerce_activity, run_external_agent_invocation_test, persist_regression_report, store_regression_report, read_recent_regressions, enforce_agent_credential, read_signing_versions, rotate_signing_credential, sign_with_active_signing_version, verify_signature_by_version, execute_directory_submission'.split(
    ', ',
  )

/** Tools whose operations are not there yet. */
const pending: readonly string[] = []

verifies('production.tools', 'the tools are those of the document, in its order', () => {
  expect(documented).toHaveLength(27)
  expect([...toolNames]).toEqual(documented)
  const served = toolsOf(registry).map(({ entry }) => entry.name)
  expect(served).toEqual(documented.filter((name) => !pending.includes(name)))
})

verifies('production.tools', 'each tool is one operation with schemas and annotations', () => {
  for (const { entry, operation } of toolsOf(registry)) {
    expect(registry.filter(({ tool }) => tool === entry.name)).toEqual([operation])
    expect([entry.name, entry.inputSchema.type, entry.outputSchema.type]).toEqual([
      entry.name,
      'object',
      'object',
    ])
    expect(entry.outputSchema['anyOf'], entry.name).toHaveLength(2)
    expect(Object.keys(entry.annotations).sort()).toEqual([
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
      'readOnlyHint',
    ])
    expect(entry.description.length, entry.name).toBeGreaterThan(60)
  }
})
