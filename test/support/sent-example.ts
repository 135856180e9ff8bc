import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { exampleOf } from '../../api/examples/index.ts'
import { createClient, type OperationId, ProblemError } from '../../api/http/client.ts'
import type { AnyOperation } from '../../api/operation.ts'
import type { ComposedApis } from './composed-api.ts'
import type { trustedAgent } from './registering-agent.ts'

type Sender = Awaited<ReturnType<typeof trustedAgent>>

/** Sends the example of an operation, with all credentials that a caller may have; answers the body, or the refusal. */
export async function sendExample(
  apis: Pick<ComposedApis, 'hosts' | 'config' | 'operator'>,
  { agent, credential, registered }: Pick<Sender, 'agent' | 'credential' | 'registered'>,
  { id, access, examines, stream }: AnyOperation,
): Promise<{ body: unknown } | ProblemError> {
  const { base: baseUrl, os: osUrl } = apis.hosts[0] as { base: string; os: string }
  const example = exampleOf({ id })
  const client = createClient({
    baseUrl,
    osUrl,
    origin: apis.config.BASE_URL,
    ...(access === 'public' && examines !== true ? {} : { agent: credential }),
    operator: apis.operator,
    statusToken: registered.status_token,
    wallet: privateKeyToAccount(generatePrivateKey()),
    signAsAgent: agent.signText,
  })
  const upload =
    stream === undefined
      ? {}
      : { upload: { mediaType: stream.mediaTypes[0], bytes: example.bytes ?? '' } }
  try {
    return await client.call(id as OperationId, example.input, upload)
  } catch (error) {
    if (error instanceof ProblemError) return error
    throw error
  }
}
