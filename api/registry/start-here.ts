import type { z } from 'zod'
import { policyRules } from '#domain/agents/policy-rules.ts'
import { refuse } from '#domain/core/errors.ts'
import { printedSequences } from '#domain/production/sequences.ts'
import { railOf } from '#domain/rails/index.ts'
import { type RailKey, usagesOf } from '#domain/rails/rail.ts'
import type { HostUrls } from '../http/openapi.ts'
import type { AnyOperation } from '../operation.ts'
import { manifestOf } from '../services/tasks/input.ts'
import type { StartHere } from '../shapes/start-here.ts'
import { answered, own, ownKey, type PlannedCall, plannedCalls } from './planned-calls.ts'

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
export const firstRun: readonly PlannedCall[] = [
  {
    operationId: 'agent-register',
    changes: (rail) => ({
      name: 'My first agent',
      contact: { email: 'agent@example.com' },
      rails: [rail],
      encryption_key: undefined,
      sandbox: true,
    }),
    replace: [own('public_key', 'Your Ed25519 public key (JWK); it signs the handshake.'), ownKey],
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
  { operationId: 'agent-quote', changes: (rail) => ({ rail }), replace: [accessKey, ownKey] },
  {
    operationId: 'preflight',
    changes: (rail, input) => ({
      rail,
      usage: 'synthetic',
      objective: 'A first run on the sample input.',
      input: undefined,
      input_manifest: manifestOf(input),
      on_gaps: 'report',
      callback_url: undefined,
    }),
    replace: [accessKey, ownKey],
  },
  { operationId: 'contract-prepare', replace: [accessKey, taskToken, ownKey] },
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
      ownKey,
    ],
  },
  {
    operationId: 'self-serve-loop-submit',
    changes: (_rail, input) => ({ input }),
    replace: [accessKey, taskToken, contractId, ownKey],
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
    steps: plannedCalls(registry, { baseUrl, osUrl }, { calls: firstRun, rail }),
    sequences: printedSequences(),
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
