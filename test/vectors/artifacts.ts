import { authorityContexts, signedText } from '#domain/authority/artifacts.ts'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { buildReturnPackage } from '#domain/runs/package-files.ts'
import { COMPLETION_TYP, completionClaims, type MadePackage } from '#domain/runs/return-package.ts'
import { type TokenKind, tokenForms } from '#domain/verification/artifact.ts'
import { type AuthorityKind, authorityForms } from '#domain/verification/authority.ts'
import { authorityKey, isoTime, receiptKey, signedAt, signText, type TestKey } from './keys.ts'

export const tokenKinds = Object.keys(tokenForms) as TokenKind[]
export const authorityKinds = Object.keys(authorityForms) as AuthorityKind[]
type Members = Record<string, unknown>

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const headerFor = (kind: TokenKind, key: TestKey = receiptKey): Members => ({
  alg: 'EdDSA',
  kid: key.kid,
  typ: tokenForms[kind].typ,
})

/** A compact JWS of these parts. */
export function signToken(header: Members, claims: unknown, key: TestKey = receiptKey): string {
  const text = `${encoded(header)}.${encoded(claims)}`
  return `${text}.${signText(key, text)}`
}

/** A compact JWS with another header or other claims under the signature that it had. */
export function altered(jws: string, { header, claims }: { header?: Members; claims?: Members }) {
  const [head = '', body = '', signature = ''] = jws.split('.')
  const parts = [header ? encoded(header) : head, claims ? encoded(claims) : body, signature]
  return parts.join('.')
}

export function signObject(
  kind: AuthorityKind,
  members: Members,
  key: TestKey = authorityKey,
): Members {
  const named: Members = { ...members, key_id: key.kid }
  return { ...named, signature: signText(key, signedText(authorityForms[kind].context, named)) }
}

const issuer = 'https://api.agent-rails.example/api/trust-contract'
const wallet = `0x${'c1'.repeat(20)}`
const account = `eip155:8453:${wallet}`
const recipient = `eip155:8453:0x${'d2'.repeat(20)}`
const hash = (name: string): string => sha256Hex(`vector ${name}`)
const common = { iss: issuer, iat: signedAt }
const usage = { usage: 'operational', environment: 'live' }
const blockAt = (number: string) => ({ number, hash: `0x${hash(`block ${number}`)}` })
const moved = { opening_atomic: '90000000', in_atomic: '0', out_atomic: '12500000' }

/** The claims of one good artifact of each kind. */
export const claimsOf: Record<TokenKind, Members> = {
  receipt: {
    ...common,
    sub: `po_${hash('payout')}`,
    kind: 'payout_executed',
    ...usage,
    prev: hash('receipt before'),
    payout_id: `po_${hash('payout')}`,
    state: 'executed',
    creator: wallet,
    recipient: `0x${'d2'.repeat(20)}`,
    amount_usdc: '12.5',
    amount_atomic: '12500000',
    network: 'eip155:8453',
    chain_id: 8453,
    asset: `0x${'a5'.repeat(20)}`,
    payout_wallet: `0x${'e7'.repeat(20)}`,
    terms_sha256: hash('terms'),
    authorization_nonce: `0x${hash('nonce')}`,
    transaction_hash: `0x${hash('transaction')}`,
    block_number: 38_123_456,
    finality: 'included',
  },
  passport: {
    ...common,
    jti: `pp_${hash('passport')}`,
    sub: account,
    kind: 'receipt_passport',
    ...usage,
    work: { kind: 'wallet_free_call', nonce: hash('call').slice(0, 32) },
    proven: {
      outcome: 'succeeded',
      operation: 'payout-create',
      path: '/api/payout-create',
      body_sha256: hash('body'),
      status: 201,
      at: signedAt - 60,
      payment: null,
    },
  },
  handoff_pack: {
    ...common,
    exp: signedAt + 3600,
    jti: `hp_${hash('pack')}`,
    sub: account,
    aud: recipient,
    kind: 'handoff_pack',
    ...usage,
    task: { task_id: 'report-2026-11', objective: 'Finish the report.', context: 'Zürich ✓ 東京' },
    permissions: {
      allowed_actions: ['read_invoices'],
      resources: ['https://files.northwind.example/hosting'],
      expires_at: signedAt + 3600,
      may_redelegate: false,
    },
    state: { status: 'in_progress', checkpoint: '3 of 4', evidence_sha256: [hash('evidence')] },
  },
  statement: {
    ...common,
    sub: 'statement-2026-11-20',
    environment: 'live',
    prev: hash('statement before'),
    day: '2026-11-20',
    network: 'eip155:8453',
    asset: `0x${'a5'.repeat(20)}`,
    blocks: { opening: blockAt('38080000'), closing: blockAt('38123000') },
    payout_wallet: { address: `0x${'e7'.repeat(20)}`, ...moved, closing_atomic: '77500000' },
    payouts: { created: { count: 1, sum_atomic: '500000' } },
    transfers: { count: 1, sum_atomic: '12500000', sha256: hash('transfers') },
    differences: { opened: {}, open: [], open_count: 0 },
    reconciliations: 24,
  },
}

const agent = `agt_${hash('agent')}`
const mandateId = `mdt_${hash('mandate')}`
const grantId = `gr_${hash('grant')}`

/** The members of one good artifact of each kind, before its key signs it. */
export const membersOf: Record<AuthorityKind, Members> = {
  mandate: {
    schema: 'authority-mandate.v1',
    context: authorityContexts.mandate,
    version: 1,
    mandate_id: mandateId,
    issuer,
    principal_id: 'northwind:finance',
    agent_id: agent,
    purpose: 'Pay for reports – up to 50 USD, „monthly“ ✓',
    allowed_operations: ['start-agent-run', 'payment-reference-create'],
    rails: ['packetops'],
    resources: ['wal_northwind-1'],
    limits: { per_action_usd: 50, total_usd: 200, actions_max: 10 },
    valid_from: isoTime(signedAt),
    expires_at: isoTime(signedAt + 30 * 24 * 3600),
    may_redelegate: false,
  },
  action_grant: {
    schema: 'action-grant.v1',
    context: authorityContexts.grant,
    grant_id: grantId,
    issuer,
    mandate_id: mandateId,
    agent_id: agent,
    operation_id: 'start-agent-run',
    input_sha256: hash('input'),
    spend_usd_max: 50,
    expires_at: isoTime(signedAt + 300),
    nonce: hash('grant nonce').slice(0, 32),
  },
  delegated_action: {
    schema: 'delegated-action.v1',
    context: authorityContexts.action,
    action_id: `da_${hash('action')}`,
    issuer,
    mandate_id: mandateId,
    grant_id: grantId,
    agent_id: agent,
    operation_id: 'start-agent-run',
    input_sha256: hash('input'),
    spent_usd: 50,
    result_status: 201,
    result_sha256: hash('result'),
    executed_at: isoTime(signedAt),
  },
}

export const goodToken = (kind: TokenKind): string => signToken(headerFor(kind), claimsOf[kind])
export const goodObject = (kind: AuthorityKind): Members => signObject(kind, membersOf[kind])

const run = {
  run_id: `run_${hash('run')}`,
  rail: 'packetops',
  tier: 'standard',
  usage: 'operational',
  partial: false,
  input_sha256: hash('input'),
  loop_sha256: hash('loop'),
} as const
const work = {
  result: { sections: ['policy', 'evidence'], complete: true, score: 0.75 },
  findings: [{ code: 'stale', detail: 'SOC 2 report – 14 months old', citations: [] }],
  gaps: [],
}
/** A small return package, and its completion signature. */
export const packageMade = buildReturnPackage(run, work)
const signCompletion = (made: MadePackage): string =>
  signToken(
    { alg: 'EdDSA', kid: receiptKey.kid, typ: COMPLETION_TYP },
    completionClaims(made, { issuer, environment: 'live', iat: signedAt }),
  )
export const completion = signCompletion(packageMade)
/** A package as JSON, signed whatever it holds. */
export const viewOf = (made: MadePackage): Members => ({
  ...made,
  completion_signature: signCompletion(made),
  result_contract: {
    version: 'v2',
    split_version: '1.0',
    settlement_receipt_id: `rc_${digestOf('settlement')}`,
    usage_receipt_id: `rc_${digestOf('usage')}`,
  },
})
export const packageView = viewOf(packageMade)
