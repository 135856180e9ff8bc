import type { Kysely } from 'kysely'
import { authorityContexts } from '#domain/authority/artifacts.ts'
import { contractSets } from '#domain/core/contract-sets.ts'
import { ASSET_NAME, CHAIN_ID, limits, NETWORK, trustLimits } from '#domain/core/limits.ts'
import { isoTime } from '#domain/core/time.ts'
import { principalDomain, principalTypes } from '#domain/payouts/principal-authorization.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { HANDOFF_TYP } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP } from '#domain/trust/passport.ts'
import { scorecardFormula } from '#domain/trust/scorecard.ts'
import { keysUrlOf } from '#domain/verification/key-document.ts'
import type { Config } from '../../activities/config/config.ts'
import { buildDate, packageVersion } from '../../activities/config/package-root.ts'
import { CHALLENGE_TYP } from '../../activities/keys/challenge.ts'
import type { KeyRing } from '../../activities/keys/key-ring.ts'
import { readCurrent, readKeyStatus } from '../../activities/keys/key-status.ts'
import { keyState, publishedKey } from '../../activities/keys/published-key.ts'
import { MANDATE_TYP } from '../../activities/keys/sd-jwt.ts'
import { listPublicKeys, type SigningKeyRow } from '../../activities/store/keys/signing-keys.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { openapiDocument } from '../http/openapi.ts'
import { mcpDescriptor } from '../mcp/descriptor.ts'
import { CURRENT_VERSION } from '../mcp-protocol.ts'
import type { AnyOperation } from '../operation.ts'
import type {
  AuthorityKey,
  DiscoveryCommands,
  OpenApiDocument,
  SchemaDocuments,
  TrustContract,
} from '../shapes/documents.ts'
import { publishedLimits } from '../shapes/rate-policies.ts'
import { bindingsOf, createAgentCards, identityRegistration } from './agent-card.ts'
import { agentTools } from './agent-tools.ts'
import { publishSchemas } from './published-schemas.ts'
import { quickstart, quickstartOfAgent } from './quickstart.ts'
import { startHere } from './start-here.ts'

type Discovery = {
  config: Config
  db: Kysely<Database>
  registry: readonly AnyOperation[]
  /** The operations of the payout rail; all others with a price are the trust service's. */
  payoutOperations: readonly AnyOperation[]
  schemaDocuments: SchemaDocuments
  receipts: KeyRing
}

/** The documents that print the registry, the key rings and the configuration; none of them is written by hand. */
export function createDiscovery(deps: Discovery): DiscoveryCommands {
  const { config, db, registry, receipts } = deps
  const urls = { baseUrl: config.BASE_URL, osUrl: config.OS_URL }
  const schemas = publishSchemas(config.BASE_URL, deps.schemaDocuments)
  const cardOf = createAgentCards(config.BASE_URL, CURRENT_VERSION)
  let openapi: OpenApiDocument | undefined
  return {
    schemas,
    agentTools: () => agentTools(registry, urls, schemas.index()),
    startHere: (rail) => startHere(registry, urls, rail),
    rateLimits: () => publishedLimits(config),
    quickstart: (rail) => quickstart(registry, urls, rail),
    quickstartOfAgent: ({ rail, input }) => quickstartOfAgent(registry, urls, { rail, input }),
    openapi: () => {
      openapi ??= openapiDocument(registry, urls)
      return openapi
    },
    agentCard: async () => {
      const status = await readKeyStatus(db, { receipt: receipts }, ['receipt'])
      return cardOf(status.signer('receipt'))
    },
    mcp: () => mcpDescriptor(registry, config.BASE_URL),
    identityRegistration: () => identityRegistration(registry, config),
    bindings: () => bindingsOf(registry, config.BASE_URL),
    jwks: async () => ({ keys: (await listPublicKeys(db)).map(publishedKey) }),
    authorityKey: async () =>
      authorityKey((await listPublicKeys(db)).filter((row) => row.ring === 'authority')),
    trustContract: async () => {
      const rows = await listPublicKeys(db)
      await readCurrent(db, { receipt: receipts }, ['receipt'])
      return trustContract(
        deps,
        receipts.keys
          .map(({ kid }) => rows.find((row) => row.ring === 'receipt' && row.kid === kid))
          .find((row) => row !== undefined && signing.includes(keyState(row))),
      )
    },
  }
}

/** The states of a key that may sign. */
const signing: readonly string[] = ['active', 'retiring']
function authorityKey(rows: SigningKeyRow[]): AuthorityKey & Record<string, unknown> {
  const known = rows.filter((row) => row.activated_at !== null)
  const next = rows.find((row) => keyState(row) === 'published')
  const active =
    known.find((row) => keyState(row) === 'active') ??
    known.filter((row) => keyState(row) === 'retiring').at(-1)
  const previous = known.filter((row) => row !== active)
  return {
    alg: 'Ed25519',
    contexts: [CHALLENGE_TYP, MANDATE_TYP, ...Object.values(authorityContexts)],
    version: known.length,
    key_id: active?.kid ?? null,
    public_key: active === undefined ? null : { ...active.public_jwk, kid: active.kid },
    not_before: active === undefined ? null : isoTime(active.activated_at),
    next_version:
      next === undefined
        ? null
        : { key_id: next.kid, public_key: { ...next.public_jwk, kid: next.kid } },
    previous_versions: previous.map((row, index) => ({
      version: index + 1,
      key_id: row.kid,
      public_key: row.public_jwk,
      not_before: isoTime(row.activated_at),
      retired_at: isoTime(row.retired_at),
      revoked_at: isoTime(row.revoked_at),
    })),
  }
}

function trustContract(
  { config, registry, payoutOperations }: Discovery,
  key: SigningKeyRow | undefined,
): TrustContract & Record<string, unknown> {
  const price = limits.priceAtomic.toString()
  const x402 = {
    x402Version: 2,
    scheme: 'exact',
    network: NETWORK,
    asset: config.ASSET_CONTRACT_ADDRESS,
    amount: price,
    pay_to: config.PAY_TO_ADDRESS,
  }
  const isOfPayouts = ({ id }: AnyOperation) =>
    payoutOperations.some((operation) => operation.id === id)
  const ofPayouts = registry.filter(isOfPayouts)
  const ofTrust = registry.filter((one) => one.price !== null && !isOfPayouts(one))
  const listed = (operations: readonly AnyOperation[]) =>
    operations.map(({ id, http, mode }) => {
      const { method, path } = http
      return mode === undefined ? { id, method, path } : { id, method, path, mode }
    })
  return {
    service_id: 'service-trust-v1',
    issuer: `${config.BASE_URL}/api/trust-contract`,
    environment: config.ENVIRONMENT,
    alg: 'EdDSA',
    key_id: key?.kid ?? null,
    jwk: key === undefined ? null : { ...key.public_jwk, kid: key.kid },
    jwks_uri: keysUrlOf(config.BASE_URL),
    // The operations of the trust service; those of the payout rail are in `payout`.
    operations: listed(ofTrust),
    price: { atomic: price, asset: config.ASSET_CONTRACT_ADDRESS, decimals: 6 },
    free_tier: { calls: limits.freeCallsPerWindow, window_seconds: limits.freeWindowSeconds },
    limits: trustLimits,
    // The `typ` of what the receipt ring signs for the trust operations.
    artifacts: { receipt: RECEIPT_TYP, passport: PASSPORT_TYP, handoff_pack: HANDOFF_TYP },
    scorecard: scorecardFormula,
    wallet_proof: walletProofFacts(config),
    x402,
    payout: { ...payoutFacts(config, x402), operations: listed(ofPayouts) },
    contract_sets: contractSets,
    build: { version: packageVersion(), date: buildDate() },
  }
}

function walletProofFacts(config: Config): Record<string, unknown> {
  return {
    wallet_proof_required: true,
    header: 'X-Service-Wallet-Proof',
    max_age_seconds: limits.proofAgeSecondsMax,
    encoding:
      'base64url of JSON {v, wallet, chain_id, method, path, body_sha256, issued_at, nonce, signature}, no padding',
    signature: 'personal_sign (EIP-191) over the lines below joined with LF, without a trailing LF',
    text: [
      'service-wallet-proof-v1',
      `origin: ${config.BASE_URL}`,
      'method: <METHOD>',
      'path: <path>',
      'body-sha256: <SHA-256 of the RFC 8785 form of the body, 64 hex>',
      `wallet: ${NETWORK}:<address, lowercase>`,
      'issued-at: <unix seconds>',
      'nonce: <32 to 64 lowercase hex>',
    ],
  }
}

function payoutFacts(config: Config, x402: Record<string, unknown>): Record<string, unknown> {
  return {
    service_id: 'service-payout-rail',
    version: '1.0.0',
    network: NETWORK,
    chain_id: CHAIN_ID,
    asset: config.ASSET_CONTRACT_ADDRESS,
    asset_name: ASSET_NAME,
    payout_wallet: config.PAYOUT_WALLET_ADDRESS,
    payout_principal_is_fee: false,
    caps: {
      max_payout_atomic: limits.maxPayoutAtomic.toString(),
      daily_cap_atomic: limits.dailyCapAtomic.toString(),
    },
    price: x402,
    holder_bindings: [
      { version: 1, method: 'eth_sign', format: 'ES256K kb+jwt' },
      { version: 2, method: 'personal_sign', format: 'service-holder-binding-v2' },
    ],
    request_sha256:
      'SHA-256 of the RFC 8785 form of {type: "service.payout.principal-authorization.v1", payout_id, recipient, amount_atomic (string), expires_at, idempotency_key, chain_id, asset}',
    eip712: {
      domain: principalDomain(config.ASSET_CONTRACT_ADDRESS),
      primary_type: 'PayoutAuthorization',
      types: principalTypes,
    },
  }
}
