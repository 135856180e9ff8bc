import { agentSignatureText, decodeAgentSignature, isFresh } from '#domain/agents/signature.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { bodySha256 } from '#domain/payouts/wallet-proof.ts'

/** Whether a key that speaks for the agent signed this text. */
export type SpokeFor = (agentId: string, text: string, signature: string) => Promise<boolean>

/** The call that has to be signed: `body` is what `JSON.parse` gave, `origin` the host's configured URL, `nowSeconds` Postgres' clock. */
export type SignedCall = {
  readonly header: string | string[] | undefined
  readonly agentId: string
  readonly origin: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** Of the status token that the call presents. */
  readonly tokenSha256: string | undefined
  readonly nowSeconds: number
}

/** Throws 401 `proof_invalid` unless `X-Agent-Signature` is of the agent's registered key over this very call, within 300 s. */
export async function assertSigned(call: SignedCall, spokeFor: SpokeFor): Promise<void> {
  if (call.header === undefined) throw unproven('the header X-Agent-Signature is missing')
  const given = typeof call.header === 'string' ? decodeAgentSignature(call.header) : undefined
  if (given === undefined)
    throw unproven('the header X-Agent-Signature is not t=<unix seconds>,s=<signature>')
  if (!isFresh(given.issuedAt, call.nowSeconds))
    throw unproven('the signature is too old, or from the future')
  const { origin, method, path, body, tokenSha256 } = call
  const { issuedAt } = given
  const text = agentSignatureText({
    origin,
    method,
    path,
    bodySha256: bodySha256(body),
    tokenSha256,
    issuedAt,
  })
  if (!(await spokeFor(call.agentId, text, given.signature)))
    throw unproven(`the signature is not of the registered key over this call to ${origin}`)
}

const unproven = (detail: string): DomainError =>
  refuse('proof_invalid', {
    detail,
  })
