import type { z } from 'zod'
import { accessKeyDelivery, selfOnboarding } from '#domain/agents/onboarding.ts'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { type RailKey, usagesOf } from '#domain/rails/rail.ts'
import type { HostUrls } from '../http/openapi.ts'
import { bodyOfExample } from '../http/openapi-examples.ts'
import { credentialHeaders, priceOf } from '../mcp/descriptor.ts'
import { type AnyOperation, waysOf } from '../operation.ts'
import { manifestOf } from '../services/tasks/input.ts'
import type { StartHere } from './start-here-shape.ts'

type Replaced = z.output<typeof StartHere>['steps'][number]['replace'][number]
type Planned = {
  readonly operationId: string
  /** Members of the example that follow from the rail, or that a first run does without. */
  readonly changes?: (rail: RailKey) => Readonly<Record<string, unknown>>
  readonly replace: readonly Replaced[]
}

const own = (name: string, how: string): Replaced => ({
  place: 'body',
  name,
  from: null,
  pointer: null,
  how,
})
const answered = (
  place: Replaced['place'],
  name: string,
  from: string,
  pointer: string,
  how = `The answer of ${from} has it.`,
): Replaced => ({ place, name, from, pointer, how })
const key = own('idempotency_key', 'Any text of your own; a repeat with the same text is one call.')
const statusToken = answered('header', 'X-Status-Token', 'agent-register', '/status_token')
const accessKey = answered(
  'header',
  'Authorization',
  'handshake',
  '/credential_envelope/credential',
  'The word Bearer, a space, and the access key in the answer of handshake.',
)
const taskToken = answered('body', 'task_token', 'preflight', '/task_token')
const contractId = answered('body', 'contract_id', 'contract-prepare', '/contract/contract_id')
const runId = answered('body', 'run_id', 'self-serve-loop-submit', '/run/run_id')

/** From no agent at all to the result of a synthetic run, without a person. */
const plan: readonly Planned[] = [
  {
    operationId: 'agent-register',
    changes: (rail) => ({
      name: 'My first agent',
      contact: { email: 'agent@example.com' },
      rails: [rail],
      encryption_key: undefined,
      sandbox: true,
    }),
    replace: [own('public_key', 'Your Ed25519 public key (JWK); it signs the handshake.'), key],
  },
  { operationId: 'handshake-read', replace: [] },
  {
    operationId: 'handshake',
    replace: [
      statusToken,
      answered('body', 'nonce', 'handshake-read', '/nonce'),
      own(
        'signature',
        'Ed25519 over the lines of `text` in the answer of handshake-read, joined with LF; base64url.',
      ),
    ],
  },
  { operationId: 'agent-quote', changes: (rail) => ({ rail }), replace: [accessKey, key] },
  {
    operationId: 'preflight',
    changes: (rail) => ({
      rail,
      usage: 'synthetic',
      objective: 'A first run on the sample input.',
      input_manifest: manifestOf(railOf(rail).sandboxInput),
      on_gaps: 'report',
      callback_url: undefined,
    }),
    replace: [accessKey, key],
  },
  { operationId: 'contract-prepare', replace: [accessKey, taskToken, key] },
  {
    operationId: 'contract-accept',
    replace: [
      accessKey,
      { ...contractId, place: 'path' },
      answered('body', 'terms_sha256', 'contract-prepare', '/contract/terms_sha256'),
      answered('body', 'quote_id', 'agent-quote', '/quote/quote_id'),
      own(
        'signature',
        'Ed25519 over three lines joined with LF: service-agent-acceptance-v1, contract-id: <id>, terms-sha256: <digest>; base64url.',
      ),
      key,
    ],
  },
  {
    operationId: 'self-serve-loop-submit',
    changes: (rail) => ({ input: railOf(rail).sandboxInput }),
    replace: [accessKey, taskToken, contractId, key],
  },
  { operationId: 'get-run-status', replace: [accessKey, runId] },
  { operationId: 'fetch-return-package', replace: [accessKey, runId] },
]

/**
 * The calls of a first run on this rail, in their order, each with a body that its schema takes. Throws 400 `invalid_request` for a rail
 * that is not sold, and an error where an example does not fit its operation any more.
 */
export function startHere(
  registry: readonly AnyOperation[],
  { baseUrl, osUrl }: HostUrls,
  rail: RailKey,
): z.output<typeof StartHere> {
  if (!usagesOf(railOf(rail)).includes('operational'))
    throw refuse('invalid_request', {
      detail: `${rail} is not sold, so it has no runs to begin with`,
      errors: [{ pointer: '/rail', message: 'is not sold' }],
    })
  return {
    rail,
    steps: plan.map(({ operationId, changes, replace }, index) => {
      const operation = registry.find(({ id }) => id === operationId)
      if (operation === undefined) throw new Error(`there is no operation ${operationId}`)
      const { summary, http } = operation
      const [way] = waysOf(operation)
      return {
        step: index + 1,
        operation_id: operationId,
        summary,
        method: http.method,
        url: `${http.host === 'os' ? osUrl : baseUrl}${http.path}`,
        access: [...waysOf(operation)],
        header: way === 'public' ? null : credentialHeaders[way],
        price: priceOf(operation),
        example_body: http.method === 'GET' ? null : bodyFor(operation, changes?.(rail) ?? {}),
        replace: [...replace],
      }
    }),
    sequences: [
      { name: 'self_onboarding', steps: [...selfOnboarding] },
      { name: 'access_key_delivery', steps: [...accessKeyDelivery] },
    ],
    policy_rules: [...policyRules],
    links: {
      tools: `${baseUrl}/agent-tools.json`,
      openapi: `${baseUrl}/openapi.json`,
      mcp: `${baseUrl}/.well-known/mcp.json`,
      prices: `${baseUrl}/api/agent-pricing`,
      reference: `${baseUrl}/docs`,
    },
  }
}

function bodyFor(
  operation: AnyOperation,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const withChanges = (members: object) =>
    Object.fromEntries(
      Object.entries({ ...members, ...changes }).filter(([, value]) => value !== undefined),
    )
  operation.input.parse(withChanges(operation.example.input))
  return withChanges(bodyOfExample(operation))
}
