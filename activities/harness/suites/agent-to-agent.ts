import { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import type { suites } from '#domain/harness/suites.ts'
import { isIntact } from '#domain/harness/transcript.ts'
import { listHarnessSteps } from '../../store/harness/runs.ts'
import {
  askQuote,
  fetchPackage,
  playRun,
  USE_PATH,
  verifyReceipt,
  verifyReceiptsOf,
} from '../play-run.ts'
import { expectThat, type KeyedPlayer, keyFor, openPlayer, read, type Session } from '../session.ts'
import type { ScriptsOf } from './scripts.ts'

const Descriptor = z.looseObject({
  endpoint: z.string(),
  tools: z.array(z.looseObject({ name: z.string() })).min(1),
})
const Manifest = z.looseObject({ mcp: z.looseObject({ endpoint: z.string() }) })
const Listed = z.looseObject({
  result: z.looseObject({
    tools: z.array(
      z.looseObject({
        name: z.string(),
        inputSchema: z.looseObject({}),
        outputSchema: z.looseObject({}),
      }),
    ),
  }),
})
const Challenge = z.looseObject({
  code: z.literal('payment_required'),
  accepted_methods: z.array(z.string()),
  challenge: z.looseObject({ challenge_id: z.string() }),
})

const RAIL_PATH = '/api/agent-payment-rail'
const Shown = z.looseObject({
  payment_reference: z.looseObject({
    payment_reference_id: z.string(),
    state: z.string(),
    settlement_receipt_id: z.string().nullable(),
  }),
})

/** Presents what no bank knows for a quote: the reference of a sandbox agent is recorded and never becomes money. */
async function presentReference(session: Session, { headers }: KeyedPlayer, quote_id: string) {
  const body = {
    quote_id,
    method: 'payment_reference',
    external_reference: `sandbox ${session.run.test_run_id}`,
    idempotency_key: keyFor(session, 'reference'),
  }
  const sent = await session.surface.send({ method: 'POST', path: RAIL_PATH, headers, body })
  return { ...read(sent, 201, Shown).payment_reference, status: sent.status }
}

/** What the MCP descriptor says. */
export const readDescriptor = async ({ surface }: Session) =>
  read(await surface.send({ method: 'GET', path: '/.well-known/mcp.json' }), 200, Descriptor)

/** The tools that a client of MCP finds, each with its schemas. */
export const listTools = async ({ surface }: Session) =>
  read(await surface.message('tools/list', {}), 200, Listed).result.tools

const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name).join()

/** Discovery, tools, a challenge, a run with its package and receipts, which a second agent verifies. */
export const agentToAgent: ScriptsOf<(typeof suites)['agent-to-agent-test-harness']> = {
  discovery: async (session) => {
    const { endpoint } = await readDescriptor(session)
    const sent = await session.surface.send({ method: 'GET', path: '/agent-tools.json' })
    expectThat(read(sent, 200, Manifest).mcp.endpoint === endpoint, 'there are two endpoints')
  },
  'MCP tools': async (session) => {
    const { tools } = await readDescriptor(session)
    const listed = await listTools(session)
    expectThat(namesOf(listed) === namesOf(tools), 'the descriptor has other tools')
  },
  'payment reference': async (session) => {
    const player = await openPlayer(session, 'first')
    const quote_id = await askQuote(session, 'challenge', player)
    const idempotency_key = keyFor(session, 'challenge')
    const body = { mode: 'create_payment_challenge', quote_id, idempotency_key }
    const { headers } = player
    const sent = await session.surface.send({ method: 'POST', path: USE_PATH, headers, body })
    const { accepted_methods } = read(sent, 402, Challenge)
    expectThat(accepted_methods.includes('payment_reference'), 'it takes no payment reference')
    const presented = await presentReference(session, player, quote_id)
    const path = `${RAIL_PATH}?payment_reference_id=${presented.payment_reference_id}`
    const rail = await session.surface.send({ method: 'GET', path, headers })
    const { state, settlement_receipt_id } = read(rail, 200, Shown).payment_reference
    expectThat(state === 'rejected', `the reference of a sandbox agent is ${state}`)
    expectThat(settlement_receipt_id === null, 'a sandbox reference was settled')
    return presented.status
  },
  'rail run': async (session) => {
    await playRun(session, 'first', await openPlayer(session, 'first'))
  },
  'return package': async (session) => {
    const player = await openPlayer(session, 'first')
    const run_id = await playRun(session, 'first', player)
    const { completion, return_package } = await fetchPackage(session, run_id, player)
    expectThat(completion.verdict === 'proven', 'the package is not proven')
    const { proof_hash, completion_signature, result_contract, ...made } = return_package
    const { result, findings, gaps, drafts, files, ...facts } = made
    const proven = digestOf({ type: 'service.run-proof.v2', ...facts })
    expectThat(proven === proof_hash, 'the proof hash is another')
  },
  receipt: async (session) => {
    const player = await openPlayer(session, 'first')
    const run_id = await playRun(session, 'first', player)
    const { result_contract } = (await fetchPackage(session, run_id, player)).return_package
    const body = {
      mode: 'record_agent_use_receipt',
      run_id,
      receipt_id: result_contract.usage_receipt_id,
      accepted: true,
      idempotency_key: keyFor(session, 'receipt'),
    }
    const { headers } = player
    const sent = await session.surface.send({ method: 'POST', path: USE_PATH, headers, body })
    read(sent, 200, z.looseObject({ acknowledgement: z.looseObject({}) }))
  },
  'verification packet': async (session) => {
    const player = await openPlayer(session, 'first')
    const run_id = await playRun(session, 'first', player)
    const { return_package, verification_packet } = await fetchPackage(session, run_id, player)
    await openPlayer(session, 'second')
    await verifyReceiptsOf(session, return_package)
    const digest = await verifyReceipt(session, verification_packet.receipt_id)
    expectThat(digest === verification_packet.payload_sha256, 'the packet is of another receipt')
  },
  'transcript hash': async ({ db, run }) => {
    const played = await listHarnessSteps(db, run.test_run_id)
    expectThat(played.every(isIntact), 'a stored step has another digest')
  },
}
