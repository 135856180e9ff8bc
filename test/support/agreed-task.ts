import { acceptanceText } from '#domain/agents/signature.ts'
import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { railOf } from '#domain/rails/index.ts'
import type { InputOf } from '../../api/http/client.ts'
import { freshKey, type openAgentUse } from './agent-use.ts'

type AgentUse = Pick<Awaited<ReturnType<typeof openAgentUse>>, 'client' | 'agent'>
type Asked = Partial<
  Pick<InputOf<'preflight'>, 'rail' | 'tier' | 'usage' | 'input' | 'callback_url'>
>
type Paying = Pick<InputOf<'contract-accept'>, 'quote_id' | 'quote_token'>

/** Begins a task by preflight over the sample input of its rail, or another one. */
export async function begunTask({ client, agent }: AgentUse, asked: Asked = {}) {
  const { rail = 'packetops', tier = 'standard', usage = 'operational', callback_url } = asked
  const { input = railOf(rail).sandboxInput as Record<string, unknown> } = asked
  const manifest = {
    name: 'input',
    sha256: digestOf(input),
    bytes: Buffer.byteLength(canonicalJson(input)),
  }
  const { body: begun } = await client.call('preflight', {
    rail,
    tier,
    usage,
    objective: 'one run',
    input_manifest: [manifest],
    input,
    on_gaps: 'report',
    ...(callback_url === undefined ? {} : { callback_url }),
    idempotency_key: freshKey(),
  })
  const { task_token } = begun

  /** Prepares the contract, which is then accepted with a signature, and its input submitted. */
  const agree = async () => {
    const { contract } = (
      await client.call('contract-prepare', { task_token, idempotency_key: freshKey() })
    ).body
    const { contract_id, terms_sha256 } = contract
    const signature = agent.signText(acceptanceText(contract_id, terms_sha256))
    return {
      accept: (paying: Paying = {}) =>
        client.call('contract-accept', {
          contract_id,
          terms_sha256,
          signature,
          ...paying,
          idempotency_key: freshKey(),
        }),
      submit: () =>
        client.call('self-serve-loop-submit', {
          task_token,
          contract_id,
          input,
          idempotency_key: freshKey(),
        }),
    }
  }
  return { ...begun, agree }
}
