import { limits } from '../core/limits.ts'

/**
 * What an agent signs for one call: `origin` is the host that is called, `issuedAt` in Unix seconds, and `tokenSha256` names the status
 * token that the call presents, undefined where it presents none.
 */
export type AgentSignatureTerms = {
  origin: string
  method: string
  path: string
  bodySha256: string
  tokenSha256: string | undefined
  issuedAt: number
}

/** The text for Ed25519 under the agent's registered key: seven lines joined with LF, without a trailing LF. */
export function agentSignatureText(terms: AgentSignatureTerms): string {
  return [
    'service-agent-signature-v1',
    `origin: ${terms.origin}`,
    `method: ${terms.method}`,
    `path: ${terms.path}`,
    `body-sha256: ${terms.bodySha256}`,
    `token-sha256: ${terms.tokenSha256 ?? 'none'}`,
    `issued-at: ${terms.issuedAt}`,
  ].join('\n')
}

/** What an agent signs to shake hands: the nonce of the service, and the SHA-256 of its status token. */
export function handshakeText(nonce: string, tokenSha256: string): string {
  return ['service-agent-handshake-v1', `nonce: ${nonce}`, `token-sha256: ${tokenSha256}`].join(
    '\n',
  )
}

/** What an agent signs to accept a contract: its id, and the SHA-256 of its terms. */
export function acceptanceText(contractId: string, termsSha256: string): string {
  return [
    'service-agent-acceptance-v1',
    `contract-id: ${contractId}`,
    `terms-sha256: ${termsSha256}`,
  ].join('\n')
}

/**
 * What the old and the next key of an agent both sign when it changes its signing key, so that neither of them is enough; the
 * digests are those of the public JWKs `{crv, kty, x}` as canonical JSON.
 */
export function keyRotationText(
  agentId: string,
  oldKeySha256: string,
  nextKeySha256: string,
): string {
  return [
    'service-agent-key-rotation-v1',
    `agent-id: ${agentId}`,
    `old-key-sha256: ${oldKeySha256}`,
    `next-key-sha256: ${nextKeySha256}`,
  ].join('\n')
}

/** What a wallet signs (personal_sign) for an agent to claim its token in an identity registry; `keySha256` is that of the agent's public JWK. */
export function identityText(claim: {
  origin: string
  keySha256: string
  chain_id: number
  registry: string
  token_id: string
}): string {
  return [
    'service-agent-identity-v1',
    `origin: ${claim.origin}`,
    `key-sha256: ${claim.keySha256}`,
    `identity: eip155:${claim.chain_id}:${claim.registry}/${claim.token_id}`,
  ].join('\n')
}

/** The value of `X-Agent-Signature`: `t=<unix seconds>,s=<64 bytes as base64url>`. */
export const encodeAgentSignature = (issuedAt: number, signature: string): string =>
  `t=${issuedAt},s=${signature}`

const headerForm = /^t=([1-9][0-9]{0,9}),s=([A-Za-z0-9_-]{86})$/

/** The time and the signature of a header value; undefined for anything else. */
export function decodeAgentSignature(
  header: string,
): { issuedAt: number; signature: string } | undefined {
  const [, issuedAt, signature] = headerForm.exec(header) ?? []
  return issuedAt === undefined || signature === undefined
    ? undefined
    : { issuedAt: Number(issuedAt), signature }
}

/** Whether a signature of that time counts now: at most 300 s old and 30 s ahead, as a wallet proof. */
export function isFresh(issuedAt: number, nowSeconds: number): boolean {
  const age = nowSeconds - issuedAt
  return age <= limits.proofAgeSecondsMax && -age <= limits.proofAheadSecondsMax
}
