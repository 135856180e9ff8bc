import type { RailKey } from '../rails/rail.ts'

/** A step of a suite: its name, what it expects, and the steps that it builds on. */
export type PlannedStep = {
  readonly step: string
  readonly expected: string
  readonly needs?: readonly string[]
}

/** The tests of the running service, by the last part of their path, each as the steps that it plays. */
export const suites = {
  'agent-to-agent-test-harness': [
    { step: 'discovery', expected: '200: manifest and MCP descriptor name one endpoint' },
    { step: 'MCP tools', expected: '200: the tools of the descriptor, each with a schema' },
    {
      step: 'payment reference',
      expected: '201: a sandbox reference is presented, read again and never settled',
    },
    { step: 'rail run', expected: '200: the synthetic run of the first agent is closed' },
    {
      step: 'return package',
      expected: '200: the package is proven, and its proof hash is that of its facts',
      needs: ['rail run'],
    },
    {
      step: 'receipt',
      expected: '200: the first agent acknowledges the usage receipt of its run',
      needs: ['rail run'],
    },
    {
      step: 'verification packet',
      expected: '200: the second agent verifies the receipts of the package',
      needs: ['return package'],
    },
    { step: 'transcript hash', expected: 'the stored steps have the digests that they name' },
  ],
  'external-agent-invocation-test': [
    { step: 'descriptor', expected: '200: endpoint, versions and tools' },
    { step: 'initialize', expected: '200: the version that was asked for' },
    { step: 'tools/list', expected: '200: tools with input and output schemas' },
    { step: 'list_rails', expected: '200: a result' },
    { step: 'quote_run', expected: '200: a result' },
    { step: 'find_services', expected: '200: a result' },
    { step: 'inspect_service', expected: '200: a result' },
    { step: 'request_service_use', expected: '200: a result' },
    { step: 'run_service', expected: '200: a result' },
    { step: 'validate_production_write', expected: '200: a result' },
    { step: 'get_provider_callback_receiver_examples', expected: '200: a result' },
    { step: 'read_verified_commerce_activity', expected: '200: a result' },
    { step: 'read_recent_regressions', expected: '200: a result' },
    { step: 'enforce_agent_credential', expected: '200: a result' },
    { step: 'read_signing_versions', expected: '200: a result' },
    { step: 'verify_signature_by_version', expected: '200: a result' },
    { step: 'paid tool without money', expected: '402: payment_required with a challenge' },
    { step: 'unknown tool', expected: 'JSON-RPC error -32602' },
    {
      step: 'replayed key',
      expected: '422: the same key with other terms; the same terms: one quote',
    },
  ],
  'external-agent-agent-test': [
    { step: 'hand over', expected: '200: the first agent reads the agent-use pack' },
    {
      step: 'run',
      expected: '200: the synthetic run of the second agent, from the pack, is closed',
      needs: ['hand over'],
    },
    {
      step: 'verify',
      expected: '200: the first agent verifies the receipts of that run',
      needs: ['run'],
    },
    { step: 'counterpart tools', expected: '200: the counterpart lists its tools' },
  ],
  'credential-enforcement-agent-test': [
    { step: 'none', expected: '401: credential_required' },
    { step: 'malformed', expected: '401: credential_required or credential_invalid' },
    { step: 'unknown', expected: '401: credential_invalid' },
    { step: 'revoked', expected: '401: credential_invalid' },
    { step: 'expired', expected: '401: credential_invalid' },
    { step: 'wrong scope', expected: '403: scope_denied' },
    { step: 'wrong rail', expected: '403: rail_not_allowed' },
    { step: 'retiring version', expected: '200: the former key works within its overlap' },
    { step: 'active', expected: '200: the key works' },
    { step: 'cross-account', expected: '403: not_owner' },
  ],
} as const satisfies Readonly<Record<string, readonly PlannedStep[]>>

export type SuiteName = keyof typeof suites
export const suiteNames = Object.keys(suites) as readonly SuiteName[]

/** The one step that leaves this service, for a server that the caller names. */
export const COUNTERPART_STEP = 'counterpart tools'

/** The rails of the runs that are played; each declares that agents buy it, and a test compares. */
export const harnessRails = ['packetops', 'diligenceops'] as const satisfies readonly RailKey[]
export type HarnessRail = (typeof harnessRails)[number]

/** The names of a suite's steps, in their order. */
export const stepNamesOf = <Suite extends SuiteName>(suite: Suite) =>
  suites[suite].map(({ step }) => step) as unknown as readonly [
    (typeof suites)[Suite][number]['step'],
    ...(typeof suites)[Suite][number]['step'][],
  ]

/** The steps that were asked for, all unless some were, with those that they build on, in their order. */
export function planOf(
  suite: SuiteName,
  { scenarios, counterpart }: { scenarios?: readonly string[] | undefined; counterpart: boolean },
): PlannedStep[] {
  const offered = (suites[suite] as readonly PlannedStep[]).filter(
    ({ step }) => counterpart || step !== COUNTERPART_STEP,
  )
  const wanted = new Set(scenarios ?? offered.map(({ step }) => step))
  for (const { step, needs = [] } of [...offered].reverse())
    if (wanted.has(step)) for (const needed of needs) wanted.add(needed)
  return offered.filter(({ step }) => wanted.has(step))
}
