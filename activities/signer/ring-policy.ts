import { AGENT_STATEMENT_TYP } from '#domain/agents/statement.ts'
import { authorityContexts } from '#domain/authority/artifacts.ts'
import { exampleDeliveryId } from '#domain/callbacks/callback.ts'
import { objectOf, textOf } from '#domain/core/strict-json.ts'
import { checkpointText, parseCheckpointText } from '#domain/log/checkpoint.ts'
import { coseSigned } from '#domain/log/cose.ts'
import { logOrigin } from '#domain/log/origin.ts'
import { isSample, REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { STATEMENT_TYP } from '#domain/receipts/statement.ts'
import { AUDIT_PACK_TYP } from '#domain/reviews/audit-pack.ts'
import { COMPLETION_TYP } from '#domain/runs/return-package.ts'
import { HANDOFF_TYP } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP } from '#domain/trust/passport.ts'
import { AGENT_CARD_TYP, agentCardMembers } from '../keys/agent-card.ts'
import { AP2_TYP } from '../keys/ap2-chain.ts'
import { CHALLENGE_TYP } from '../keys/challenge.ts'
import { CHECKOUT_TYP } from '../keys/checkout.ts'
import { decodeCompact } from '../keys/compact.ts'
import { type Ring, ringAlgs } from '../keys/key-ring.ts'
import { MANDATE_TYP, MANDATE_VCT } from '../keys/sd-jwt.ts'
import { type ReceiptFacts, receiptRefusal, type Side } from './receipt-rules.ts'

/** What is signed, as the budgets count it; signatures a second. What anonymous callers can ask for has budgets of its own. */
export const ringRates = {
  receipts: 4_000,
  samples: 100,
  artifacts: 500,
  challenges: 1_000,
  authority: 1_000,
  statements: 200,
  callbacks: 2_000,
  log: 200,
} as const
type Budget = keyof typeof ringRates

/** The service whose artifacts a signer signs, and what its receipts are judged by; the clock is the signer’s, in Unix seconds. */
export type RingFacts = ReceiptFacts & {
  readonly baseUrl: string
  /** How the log continues another one; empty for a log from its first leaf. */
  readonly logContinues: string
}
export type Judgement = { readonly budget: Budget } | { readonly refused: string }

/** How far the time of what is signed may lie from the signer's clock, in seconds. */
const PAST_MAX = 300
const AHEAD_MAX = 60

type JwsRule = {
  readonly budget: Budget
  readonly issuer: 'service' | 'trust-contract'
  /** False where the time is that of an older event. */
  readonly recent?: boolean
  /** The only caller that gets it; without one, both do. */
  readonly by?: Side
}
const receipt: JwsRule = { budget: 'receipts', issuer: 'trust-contract' }
const artifact: JwsRule = { budget: 'artifacts', issuer: 'trust-contract' }

const receiptTyps = {
  [RECEIPT_TYP]: receipt,
  [COMPLETION_TYP]: receipt,
  [STATEMENT_TYP]: { ...receipt, by: 'worker' },
  [PASSPORT_TYP]: { ...artifact, by: 'api' },
  [HANDOFF_TYP]: { ...artifact, by: 'api' },
  [AUDIT_PACK_TYP]: { ...artifact, by: 'api' },
  [REPLAY_TYP]: { ...artifact, recent: false },
} as const satisfies Record<string, JwsRule>
/** What the receipt ring signs, by the `typ` of the JWS. */
export type ReceiptTyp = keyof typeof receiptTyps

/** The only types of JWS that each ring signs. */
const jwsRules: Readonly<Record<Ring, Readonly<Record<string, JwsRule>>>> = {
  receipt: receiptTyps,
  authority: {
    [CHALLENGE_TYP]: { budget: 'challenges', issuer: 'service', by: 'api' },
    [MANDATE_TYP]: { budget: 'authority', issuer: 'service', by: 'api' },
    [AP2_TYP]: { budget: 'authority', issuer: 'service', by: 'api' },
  },
  checkout: { [CHECKOUT_TYP]: { budget: 'challenges', issuer: 'service', by: 'api' } },
  'agent-statement': {
    [AGENT_STATEMENT_TYP]: { budget: 'statements', issuer: 'trust-contract', by: 'api' },
  },
  callback: {},
  log: {},
}

/** What a key of a ring is asked to sign, read from the bytes themselves, and the budget that it counts to; or why it is refused. */
export function judgeRequest(
  { ring, kid }: { ring: Ring; kid: string },
  bytes: Uint8Array,
  facts: RingFacts,
): Judgement {
  if (ring === 'callback') return judgeCallback(bytes, facts)
  if (ring === 'log') return facts.side === 'worker' ? judgeLog(kid, bytes, facts) : otherSocket
  const text = textOf(bytes)
  if (text === undefined) return { refused: 'the bytes are not UTF-8' }
  if (ring === 'authority' && text.includes('\0')) return judgeArtifact(kid, text, facts)
  return judgeJws({ ring, kid }, text, facts)
}

function judgeJws(
  { ring, kid }: { ring: Ring; kid: string },
  input: string,
  facts: RingFacts,
): Judgement {
  const { baseUrl, nowSeconds, side } = facts
  const parts = partsOf(input)
  if (parts === undefined) return { refused: 'the text is not the signing input of a compact JWS' }
  const { header, payload } = parts
  const { alg, kid: named, typ, ...more } = header
  if (alg !== ringAlgs[ring] || named !== kid || Object.keys(more).length > 0)
    return { refused: 'the header does not name this key, or has further members' }
  if (ring === 'receipt' && typ === AGENT_CARD_TYP)
    return side === 'api' ? judgeCard(payload, baseUrl) : otherSocket
  const rules = jwsRules[ring]
  const rule = typeof typ === 'string' && Object.hasOwn(rules, typ) ? rules[typ] : undefined
  if (rule === undefined) return { refused: `the ring ${ring} does not sign this type` }
  if (rule.by !== undefined && rule.by !== side) return otherSocket
  const issuer = rule.issuer === 'service' ? baseUrl : `${baseUrl}/api/trust-contract`
  if (payload['iss'] !== issuer) return { refused: 'the issuer is another service' }
  if (typ === MANDATE_TYP && payload['vct'] !== MANDATE_VCT)
    return { refused: 'the mandate is of another type' }
  if (typ === RECEIPT_TYP && isSample(payload)) return { budget: 'samples' }
  const { iat } = payload
  const earliest = rule.recent === false ? 0 : nowSeconds - PAST_MAX
  if (typeof iat !== 'number' || iat < earliest || iat > nowSeconds + AHEAD_MAX)
    return { refused: 'its time is not that of the signer’s clock' }
  // The samples of packages, which the API makes, are synthetic.
  if (typ === COMPLETION_TYP && side === 'api' && payload['usage'] !== 'synthetic')
    return otherSocket
  const refused = typ === RECEIPT_TYP ? receiptRefusal(payload, facts) : undefined
  return refused === undefined ? { budget: rule.budget } : { refused }
}

const otherSocket = { refused: 'this socket does not get it' } as const

/** A card has no issuer and no time: it has only the members of a card, and its interfaces are of this service. */
function judgeCard(card: Record<string, unknown>, baseUrl: string): Judgement {
  const { supportedInterfaces: interfaces, ...others } = card
  const known: readonly string[] = agentCardMembers
  if (!Array.isArray(interfaces) || interfaces.length === 0)
    return { refused: 'the card has no interfaces' }
  if (Object.keys(others).some((name) => !known.includes(name)))
    return { refused: 'the card has further members' }
  const isOurs = interfaces.every((one) => String(one?.['url']).startsWith(`${baseUrl}/`))
  return isOurs ? { budget: 'artifacts' } : { refused: 'an interface is of another service' }
}

/** The signed text of a mandate, grant or action: its context, a zero byte, and canonical JSON. */
function judgeArtifact(kid: string, text: string, { baseUrl, side }: RingFacts): Judgement {
  const [context = '', json = '', ...more] = text.split('\0')
  const isKnown = Object.values<string>(authorityContexts).includes(context)
  const claims = more.length === 0 ? objectOf(json) : undefined
  if (!isKnown || claims === undefined) return { refused: 'the text is of no authority artifact' }
  if (claims['context'] !== context || claims['key_id'] !== kid)
    return { refused: 'the artifact names another context or key' }
  if ((context === authorityContexts.action) !== (side === 'worker')) return otherSocket
  return claims['issuer'] === baseUrl
    ? { budget: 'authority' }
    : { refused: 'the issuer is another service' }
}

/** A message of Standard Webhooks: delivery id, Unix seconds and a JSON body that names the same delivery. */
function judgeCallback(bytes: Uint8Array, { nowSeconds, side }: RingFacts): Judgement {
  const [, delivery, seconds, body = ''] =
    /^(cb_[0-9a-f]{64})\.([1-9][0-9]{9})\.(\{[\s\S]*\})$/.exec(textOf(bytes) ?? '') ?? []
  if (delivery === undefined || objectOf(body)?.['delivery_id'] !== delivery)
    return { refused: 'the text is of no callback' }
  const age = nowSeconds - Number(seconds)
  // The published examples are signed at a fixed time in the past.
  if (delivery === exampleDeliveryId) return { budget: 'samples' }
  if (side !== 'worker') return otherSocket
  return age <= PAST_MAX && age >= -AHEAD_MAX
    ? { budget: 'callbacks' }
    : { refused: 'its time is not that of the signer’s clock' }
}

const ROOT_BYTES = 32

/** A checkpoint of our log, or the `Sig_structure` of a COSE receipt over a root. */
function judgeLog(kid: string, bytes: Uint8Array, facts: RingFacts): Judgement {
  if (isSameBytes(coseSigned(kid, bytes.slice(-ROOT_BYTES)), bytes)) return { budget: 'log' }
  const text = textOf(bytes) ?? ''
  const checkpoint = parseCheckpointText(text)
  if (checkpoint === undefined || checkpointText(checkpoint) !== text)
    return { refused: 'the bytes are neither a checkpoint nor a root to sign' }
  return checkpoint.origin === logOrigin(facts.baseUrl, facts.logContinues)
    ? { budget: 'log' }
    : { refused: 'the checkpoint is of another log' }
}

function partsOf(input: string) {
  try {
    return decodeCompact(`${input}.`)
  } catch {
    return undefined
  }
}

const isSameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  Buffer.compare(one, other) === 0
