import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import {
  type Client,
  type ClientOptions,
  createClient,
  type InputOf,
  type OutputOf,
  ProblemError,
} from '../../api/surfaces/client.ts'
import { acceptanceText, handshakeText } from '../../workflows/domain/agent-signature.ts'
import { canonicalJson, digestOf } from '../../workflows/domain/canonical-json.ts'

export type Hosts = { baseUrl: string; osUrl: string }

const REPEATS_MAX = 20

/** A client that repeats a call where the service says that it may; all acts here are named, so that a repeat joins the first. */
export function patientClient(options: ClientOptions): Client {
  const client = createClient(options)
  const call: Client['call'] = async (...of) => {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return await client.call(...of)
      } catch (error) {
        if (!(error instanceof ProblemError) || !error.problem.retryable || repeats === REPEATS_MAX) throw error
        await new Promise((resolve) => setTimeout(resolve, error.problem.retry_after_ms ?? 500))
      }
    }
  }
  return { call }
}

type Manifest = Omit<InputOf<'agent-register'>, 'public_key' | 'idempotency_key'>

/** An agent that the service knows; `open` presents its status token, which reads. */
export type KnownAgent = {
  hosts: Hosts
  registered: OutputOf<'agent-register'>
  open: Client
  signText: (text: string) => string
}

/** Registers with a fresh Ed25519 key, which never leaves this process. */
export async function registerAgent(hosts: Hosts, manifest: Manifest, idempotency_key: string): Promise<KnownAgent> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const signText = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64url')
  const input = { ...manifest, public_key: { kty: 'OKP', crv: 'Ed25519', x }, idempotency_key } as const
  const { body: registered } = await patientClient(hosts).call('agent-register', input)
  const open = patientClient({ ...hosts, statusToken: registered.status_token })
  return { hosts, registered, open, signText }
}

/** Claims the access key that waits, with a signature of the registered key; the client presents it from then on. */
export async function claimAccessKey({ hosts, registered, open, signText }: KnownAgent): Promise<Client> {
  const { nonce } = (await open.call('handshake-read', {})).body
  const tokenSha256 = createHash('sha256').update(registered.status_token).digest('hex')
  const signature = signText(handshakeText(nonce, tokenSha256))
  const claim = { nonce, signature, protocol_version: '1', claim_credential: true } as const
  const envelope = (await open.call('handshake', claim)).body.credential_envelope
  if (envelope === null || envelope.sealed) throw new Error('the access key was expected in clear')
  return patientClient({ ...hosts, agent: envelope.credential })
}

/** What an agent wants done: a rail's work on an input, under terms, paid by a quote. */
export type Order = Pick<InputOf<'preflight'>, 'rail' | 'tier' | 'objective' | 'callback_url' | 'usage' | 'on_gaps'> & {
  input: Record<string, unknown>
}

/** A task as its agent works with it; `holder` presents the task's own token, which reads. */
export type OwnTask = { token: string; holder: Client; begun: OutputOf<'preflight'> }

export type Customer = ReturnType<typeof openCustomer>

/** What the owner of an access key does from a quote to a submitted run, each act named after `run`, so that it may be repeated. */
export function openCustomer(agent: KnownAgent, keyed: Client, run: string) {
  const named = (act: string) => ({ idempotency_key: `${run}-${act}` })
  return {
    quote: async ({ rail, tier }: Pick<Order, 'rail' | 'tier'>) =>
      (await keyed.call('agent-quote', { rail, tier, ...named('quote') })).body.quote,

    preflight: async ({ input, ...asked }: Order): Promise<OwnTask> => {
      const bytes = Buffer.byteLength(canonicalJson(input))
      const input_manifest = [{ name: 'input', sha256: digestOf(input), bytes }]
      const { body: begun } = await keyed.call('preflight', { ...asked, input_manifest, ...named('preflight') })
      const token = begun.task_token
      return { token, begun, holder: patientClient({ ...agent.hosts, statusToken: token }) }
    },

    prepareContract: async ({ token }: OwnTask) =>
      (await keyed.call('contract-prepare', { task_token: token, ...named('contract') })).body,

    /** Signs the digest of the terms; the answer says what is to be paid. */
    acceptContract: async (
      { contract_id, terms_sha256 }: OutputOf<'contract-prepare'>['contract'],
      { quote_id }: { quote_id: string },
    ) => {
      const signature = agent.signText(acceptanceText(contract_id, terms_sha256))
      return (
        await keyed.call('contract-accept', { contract_id, terms_sha256, quote_id, signature, ...named('accept') })
      ).body
    },

    /** Names the payment by which a challenge is met, such as an invoice; nothing is funded before it is confirmed. */
    present: async (
      { challenge_id }: { challenge_id: string },
      paid: Pick<InputOf<'payment-reference-create'>, 'method' | 'external_reference'>,
    ) =>
      (await keyed.call('payment-reference-create', { challenge_id, ...paid, ...named('payment') })).body
        .payment_reference,

    submit: async ({ token }: OwnTask, { contract_id }: { contract_id: string }, input: Order['input']) =>
      (await keyed.call('self-serve-loop-submit', { task_token: token, contract_id, input, ...named('submit') })).body,

    run: async (run_id: string) => (await keyed.call('get-run-status', { mode: 'get_run_status', run_id })).body.run,

    returnPackage: async (run_id: string) =>
      (await keyed.call('fetch-return-package', { mode: 'fetch_return_package', run_id })).body,
  }
}

/** The task and its ledger once it has come to this state; throws when it is stopped on the way, or does not get there in time. */
export async function reached({ holder }: OwnTask, state: string, withinMs = 60_000): Promise<OutputOf<'task-ledger'>> {
  const until = Date.now() + withinMs
  for (;;) {
    const { body } = await holder.call('task-ledger', {})
    if (body.entries.some(({ to_state }) => to_state === state)) return body
    const { state: now, next_action } = body.task
    if (now === 'exception_open' || Date.now() > until)
      throw new Error(`the task stands in ${now} and did not come to ${state}: ${next_action}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
