import { agentSignatureText, decodeAgentSignature, isFresh } from '#domain/agents/signature.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { bodySha256 } from '#domain/payouts/wallet-proof.ts'
import type { AskingLimits } from './attempts.ts'
import type { ReadCall } from './method.ts'

/** Whether a key that speaks for the agent signed this text. */
export type SpokeFor = (agentId: string, text: string, signature: string) => Promise<boolean>

/** What the signature of a call is checked with. */
export type SignatureNeeds = Pick<AskingLimits, 'attempts'> & {
  readonly baseUrl: string
  readonly osUrl: string
  /** Postgres' clock. */
  readonly clock: { nowSeconds(): Promise<number> }
}

/** Who has to have signed, with the digest of the status token that the call presents. */
type Signer = {
  readonly agentId: string
  readonly tokenSha256: string | undefined
  readonly spokeFor: SpokeFor
}

/** Throws 401 `proof_invalid` unless `X-Agent-Signature` is of the signer's key over this very call, within 300 s. */
export async function assertSigned(
  { operation, request, value }: ReadCall,
  { agentId, tokenSha256, spokeFor }: Signer,
  { baseUrl, osUrl, clock }: Omit<SignatureNeeds, 'attempts'>,
): Promise<void> {
  const nowSeconds = await clock.nowSeconds()
  const { issuedAt, signature } = readSignature(request.headers['x-agent-signature'])
  if (!isFresh(issuedAt, nowSeconds)) throw unproven('the signature is too old, or from the future')
  const origin = operation.http.host === 'os' ? osUrl : baseUrl
  const { method, path } = request
  const text = agentSignatureText({
    origin,
    method,
    path,
    bodySha256: bodySha256(value),
    tokenSha256,
    issuedAt,
  })
  if (!(await spokeFor(agentId, text, signature)))
    throw unproven(`the signature is not of the registered key over this call to ${origin}`)
}

function readSignature(header: string | string[] | undefined) {
  if (header === undefined) throw unproven('the header X-Agent-Signature is missing')
  const given = typeof header === 'string' ? decodeAgentSignature(header) : undefined
  if (given === undefined)
    throw unproven('the header X-Agent-Signature is not t=<unix seconds>,s=<signature>')
  return given
}

const unproven = (detail: string): DomainError =>
  refuse('proof_invalid', {
    detail,
  })
