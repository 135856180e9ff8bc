import { canonicalJson } from '#domain/core/canonical-json.ts'
import { type SigningKey, signCompact } from './compact.ts'

/** The `typ` of the signature of an agent card (A2A 1.0 §8.4); nothing else of ours has it. */
export const AGENT_CARD_TYP = 'JOSE'

/** The members of an agent card that are signed: all but its signatures. */
export const agentCardMembers = [
  'name',
  'description',
  'supportedInterfaces',
  'provider',
  'version',
  'documentationUrl',
  'capabilities',
  'securitySchemes',
  'defaultInputModes',
  'defaultOutputModes',
  'skills',
] as const
export type UnsignedCard = Record<(typeof agentCardMembers)[number], unknown>

/** The signature of a card: a JWS over its RFC 8785 form, whose payload is left out (RFC 7515 appendix F). */
export async function signAgentCard(key: SigningKey, card: UnsignedCard) {
  const payload = JSON.parse(canonicalJson(card)) as object
  const jws = await signCompact(key, { typ: AGENT_CARD_TYP, payload })
  const [header = '', , signature = ''] = jws.split('.')
  return { protected: header, signature }
}
