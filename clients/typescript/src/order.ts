import type { Client, InputOf, OutputOf } from '../../../api/http/client.ts'
import { acceptanceText } from '../../../workflows/domain/agents/signature.ts'
import type { RegisteredAgent } from './agent.ts'
import { type AgentKey, signText } from './agent-key.ts'
import { createClient } from './client.ts'

type Contract = Pick<OutputOf<'contract-prepare'>['contract'], 'contract_id' | 'terms_sha256'>

/** What an agent signs to accept a contract, with its registered key. */
export function signContract(key: AgentKey, { contract_id, terms_sha256 }: Contract): string {
  return signText(key, acceptanceText(contract_id, terms_sha256))
}

/** What an agent wants done: a rail's work on an input, under terms, paid by a quote. */
export type Order = Pick<
  InputOf<'preflight'>,
  'rail' | 'tier' | 'objective' | 'callback_url' | 'usage' | 'on_gaps'
> & {
  input: Record<string, unknown>
}

/** A task as its agent works with it; `holder` presents the task's own token, which reads. */
export type OwnTask = { token: string; holder: Client; begun: OutputOf<'preflight'> }

export type Customer = ReturnType<typeof openCustomer>

/**
 * Buys work step by step with an access key: preflight, contract, quote, payment, submit. Each step is named after `name`, so
 * that it may be repeated. `start-agent-run` does the same in one call for the rails that it offers.
 */
export function openCustomer(
  { hosts, key }: Pick<RegisteredAgent, 'hosts' | 'key'>,
  accessKey: string,
  name: string,
) {
  const client = createClient({ ...hosts, agent: accessKey })
  const named = (step: string) => ({ idempotency_key: `${name}-${step}` })
  return {
    client,

    quote: async ({ rail, tier }: Pick<Order, 'rail' | 'tier'>) =>
      (await client.call('agent-quote', { rail, tier, ...named('quote') })).body.quote,

    /** Announces the input, which is read here for its faults. */
    preflight: async (asked: Order): Promise<OwnTask> => {
      const { body: begun } = await client.call('preflight', { ...asked, ...named('preflight') })
      const token = begun.task_token
      return { token, begun, holder: createClient({ ...hosts, statusToken: token }) }
    },

    prepareContract: async ({ token }: OwnTask) =>
      (await client.call('contract-prepare', { task_token: token, ...named('contract') })).body,

    /** Signs the digest of the terms; the answer says what is to be paid. */
    acceptContract: async (
      { contract_id, terms_sha256 }: Contract,
      { quote_id }: { quote_id: string },
    ) => {
      const signature = signContract(key, { contract_id, terms_sha256 })
      const accepted = { contract_id, terms_sha256, quote_id, signature, ...named('accept') }
      return (await client.call('contract-accept', accepted)).body
    },

    /** Names the payment by which a challenge is met, such as an invoice; nothing is funded before it is confirmed. */
    present: async (
      { challenge_id }: { challenge_id: string },
      paid: Pick<InputOf<'payment-reference-create'>, 'method' | 'external_reference'>,
    ) =>
      (
        await client.call('payment-reference-create', {
          challenge_id,
          ...paid,
          ...named('payment'),
        })
      ).body.payment_reference,

    submit: async (
      { token }: OwnTask,
      { contract_id }: { contract_id: string },
      input: Order['input'],
    ) =>
      (
        await client.call('self-serve-loop-submit', {
          task_token: token,
          contract_id,
          input,
          ...named('submit'),
        })
      ).body,

    run: async (run_id: string) =>
      (await client.call('get-run-status', { mode: 'get_run_status', run_id })).body.run,

    returnPackage: async (run_id: string) =>
      (await client.call('fetch-return-package', { mode: 'fetch_return_package', run_id })).body,
  }
}
