import { z } from 'zod'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import type { suites } from '#domain/harness/suites.ts'
import { Quoted } from '../play-run.ts'
import { expectThat, keyFor, openPlayer, read, type Session, Unmet } from '../session.ts'
import { MCP_VERSION } from '../surface.ts'
import { listTools, readDescriptor } from './agent-to-agent.ts'
import type { Script, ScriptsOf } from './scripts.ts'

const Result = z.looseObject({
  result: z.looseObject({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({ code: z.string().optional(), status: z.int().optional() }),
  }),
})

function quoteIdIn(content: unknown): string {
  const quoted = Quoted.safeParse(content)
  if (!quoted.success) throw new Unmet('there is no quote')
  return quoted.data.quote.quote_id
}

async function callTool(
  { surface }: Session,
  name: string,
  args: Record<string, unknown>,
  headers?: Record<string, string>,
) {
  const answer = await surface.message('tools/call', { name, arguments: args }, headers)
  return read(answer, 200, Result).result
}

type Arguments = (session: Session) => Record<string, unknown>

/** A tool that needs neither a credential nor money, called with these arguments by an unknown caller. */
const free =
  (name: string, argumentsOf: Arguments = () => ({})): Script =>
  async (session) => {
    const { isError, structuredContent } = await callTool(session, name, argumentsOf(session))
    if (isError === true) throw new Unmet(`it is refused: ${structuredContent.code ?? 'no code'}`)
  }

const quote = (session: Session, name: string) => ({
  rail: session.run.rail,
  tier: 'entry',
  idempotency_key: keyFor(session, name),
})

/** The tools that are played as free ones. None of them starts a test, sends a request elsewhere, or costs anything. */
export const freeTools = {
  list_rails: free('list_rails'),
  quote_run: free('quote_run', (session) => quote(session, 'quote')),
  find_services: free('find_services', () => ({ task: 'Assemble an evidence packet.' })),
  inspect_service: free('inspect_service', ({ run }) => ({ service_id: `svc_${run.rail}` })),
  request_service_use: free('request_service_use', (session) => ({
    service_id: 'tool_agent_pricing',
    task: 'Read the prices.',
    idempotency_key: keyFor(session, 'use'),
  })),
  validate_production_write: free('validate_production_write', (session) => ({
    operation_id: 'first-paid-run-execute',
    rail: session.run.rail,
    callback_url: `${session.baseUrl}${demoReceiverPath}`,
    idempotency_key: keyFor(session, 'validate'),
  })),
  run_service: free('run_service', (session) => ({
    service_id: 'tool_agent_pricing',
    task: JSON.stringify({ rail: session.run.rail }),
    idempotency_key: keyFor(session, 'service'),
  })),
  get_provider_callback_receiver_examples: free('get_provider_callback_receiver_examples'),
  read_verified_commerce_activity: free('read_verified_commerce_activity'),
  enforce_agent_credential: free('enforce_agent_credential', (session) => ({
    operation_id: 'start-agent-run',
    idempotency_key: keyFor(session, 'enforce'),
  })),
  read_recent_regressions: free('read_recent_regressions'),
  read_signing_versions: free('read_signing_versions'),
  verify_signature_by_version: free('verify_signature_by_version', () => ({
    jws: 'a.b.c',
    payload_sha256: '0'.repeat(64),
  })),
} satisfies Record<string, Script>

/** A client of MCP that knows nothing of this service: descriptor, protocol, every free tool, and refusals. */
export const externalInvocation: ScriptsOf<(typeof suites)['external-agent-invocation-test']> = {
  ...freeTools,
  descriptor: async (session) => {
    await readDescriptor(session)
  },
  initialize: async ({ surface }) => {
    const params = {
      protocolVersion: MCP_VERSION,
      capabilities: {},
      clientInfo: { name: 'harness', version: '1' },
    }
    const Initialized = z.looseObject({
      result: z.looseObject({ protocolVersion: z.literal(MCP_VERSION) }),
    })
    read(await surface.message('initialize', params), 200, Initialized)
  },
  'tools/list': async (session) => {
    await listTools(session)
  },
  'paid tool without money': async (session) => {
    const quoted = await callTool(session, 'quote_run', quote(session, 'unpaid-quote'))
    const quote_id = quoteIdIn(quoted.structuredContent)
    const { structuredContent } = await callTool(session, 'create_payment_challenge', {
      quote_id,
      idempotency_key: keyFor(session, 'unpaid'),
    })
    const { code, status } = structuredContent
    expectThat(status === 402 && code === 'payment_required', 'no payment is required')
    return status
  },
  'unknown tool': async ({ surface }) => {
    const { body } = await surface.message('tools/call', { name: 'no_such_tool', arguments: {} })
    const Failed = z.looseObject({ error: z.looseObject({ code: z.literal(-32602) }) })
    expectThat(Failed.safeParse(body).success, 'the tool is not refused as unknown')
  },
  'replayed key': async (session) => {
    const { headers } = await openPlayer(session, 'first')
    const asked = quote(session, 'replayed')
    const ids = []
    for (let sent = 0; sent < 2; sent++) {
      const { structuredContent } = await callTool(session, 'quote_run', asked, headers)
      ids.push(quoteIdIn(structuredContent))
    }
    expectThat(ids[0] === ids[1], 'one key made two quotes')
    const other = await callTool(session, 'quote_run', { ...asked, tier: 'standard' }, headers)
    const { code, status } = other.structuredContent
    expectThat(code === 'idempotency_conflict', 'other terms under the key are not refused')
    return status
  },
}
