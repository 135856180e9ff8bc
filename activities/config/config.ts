import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { environments } from '#domain/core/environment.ts'
import { limits } from '#domain/core/limits.ts'
import { jsonOf, readsOneWay } from '#domain/core/strict-json.ts'
import { directorySettings } from './directory-settings.ts'
import { feeSettings } from './fee-settings.ts'
import { identitySettings, oauthSettings } from './identity-settings.ts'
import { assertLive } from './live-settings.ts'
import { logSettings } from './log-settings.ts'
import { assertModel, modelSettings } from './model-settings.ts'
import { harnessSettings, quotaSettings, uploadSettings } from './quota-settings.ts'
import {
  atLeast,
  between,
  count,
  httpUrl,
  list,
  optionalUrl,
  postgresUrl,
  text,
} from './setting-kinds.ts'
import { signerSettings } from './signer-settings.ts'
import { assertTemporal, temporalSettings } from './temporal-settings.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase() as `0x${string}`)
/** Signatures name the origin, so it has one spelling. */
const origin = z.url().regex(/[^/]$/, 'without a trailing slash')
const milliseconds = (fallback: number) => atLeast(1, fallback)
const atomic = (fallback: bigint) => z.coerce.bigint().min(0n).default(fallback)
/** A URL that paths are added to, or nothing. */
const placeOfLinks = z.string().regex(/^(https?:\/\/[^?#]+[^/?#])?$/)

/** The one schema over the environment: every setting of every process, with its default. */
export const configSchema = z.object({
  // Where the service is and how it is reached.
  BASE_URL: origin
    .default('http://127.0.0.1:3000')
    .describe(
      'the public origin: wallet proofs, challenges and receipts name it; the same for every API process',
    ),
  OS_URL: origin.default('http://127.0.0.1:3001').describe('the origin of the agents’ host'),
  BIND_HOST: text('127.0.0.1').describe(
    'the address that the API listens on; 0.0.0.0 in a container',
  ),
  BASE_PORT: between(0, 65_535, 3000).describe('the port behind BASE_URL'),
  OS_PORT: between(0, 65_535, 3001).describe('the port behind OS_URL'),
  TRUST_PROXY: text().describe(
    'Express "trust proxy" value; empty: the socket address is the client address',
  ),
  TRUST_LOOPBACK: z
    .enum(['local', 'always'])
    .default('local')
    .describe(
      'when a call from this machine may read /metrics and the details of /readyz without a credential; local: where BASE_URL names this machine; always: only without a proxy on it',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('of the JSON lines on stdout'),

  // Postgres and Temporal.
  DATABASE_URL: postgresUrl
    .default('postgres://postgres:postgres@127.0.0.1:5432/agent_rails')
    .describe('PostgreSQL, tested with 18; the migrations create the database when it is missing'),
  DATABASE_CONNECTIONS: between(4, 1_000, 12).describe(
    'the most connections that this process opens to Postgres',
  ),
  DATABASE_TIMEOUT_MS: milliseconds(1_000).describe(
    'how long a call waits for a connection, and a fifth longer for a statement; above the default, a dead Postgres is reported late',
  ),
  ...temporalSettings,
  BLOCK_EXPLORER_URL: placeOfLinks
    .default('https://basescan.org')
    .describe('where people look at a transaction, as URL/tx/HASH; empty for a chain without one'),
  TRACE_UI_URL: placeOfLinks
    .default('')
    .describe(
      'where people look at a trace, as URL/trace/ID (Jaeger and what is like it); empty: no link',
    ),
  TEMPORAL_UI_URL: optionalUrl.describe('where people open workflows; only shown'),
  TASK_QUEUES: list
    .default(['payouts', 'signing', 'transfers', 'callbacks', 'tasks'])
    .describe('which task queues this worker process serves; `runs` needs a process of its own'),

  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .regex(/^(https?:\/\/[^?#@]+)?$/, 'an http or https URL')
    .default('')
    .describe(
      'where spans go over OTLP/HTTP, as URL/v1/traces; credentials are in OTEL_EXPORTER_OTLP_HEADERS; empty: no tracing',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('the part of the traces that is recorded, the same for all processes'),
  WORKER_METRICS_PORT: count(0)
    .pipe(z.number().max(65_535))
    .describe(
      'where a worker serves the metrics of its Temporal client at /metrics; each worker of a machine needs its own; 0: none',
    ),
  WORKER_METRICS_HOST: text('127.0.0.1').describe(
    'the address that those metrics listen on; they are not protected',
  ),

  // Chain. `local` is announced in every payout answer; `live` needs REAL_FUNDS=enabled.
  ENVIRONMENT: z
    .enum(environments)
    .default('local')
    .describe('announced in every payout answer and receipt; live needs REAL_FUNDS=enabled'),
  REAL_FUNDS: z
    .enum(['enabled', 'refused'])
    .default('refused')
    .describe('the second switch that moving real money takes'),
  CHAIN_RPC_URL: list
    .pipe(z.array(httpUrl).min(1))
    .default(['http://127.0.0.1:8545'])
    .describe('RPC urls, tried in order'),
  CONFIRM_RPC_URL: list
    .pipe(z.array(httpUrl))
    .default([])
    .describe('a second opinion for confirmations; empty: CHAIN_RPC_URL'),
  ASSET_CONTRACT_ADDRESS: address.describe('the EIP-3009 dollar token'),
  PAYOUT_WALLET_ADDRESS: address.describe('the hot wallet that payouts leave from'),
  PAY_TO_ADDRESS: address.describe('where x402 fees go'),
  TREASURY_PRINCIPAL_ADDRESS: address.describe('signs every payout’s terms (EIP-712)'),
  TREASURY_HOLDER_ADDRESS: address.describe('holds and presents mandates'),
  CONFIRMATIONS: count(1).describe(
    'blocks on top, the including one counted, before a transfer counts as executed',
  ),
  FEE_BUMP_AFTER_MS: milliseconds(30_000).describe(
    'a transaction that is not mined by then is sent again with higher fees',
  ),
  GAS_WALLET_JAM_AFTER_MS: milliseconds(90_000).describe(
    'a gas wallet whose oldest open nonce is the same one for this long is jammed: it alarms, and others take over',
  ),
  CHAIN_CACHE_MS: milliseconds(1_000).describe(
    'how long fees and what the gas wallets hold are taken as known',
  ),
  CHAIN_POLL_MS: milliseconds(500).describe('between two looks for a confirmation'),
  RPC_TIMEOUT_MS: milliseconds(1_000).describe('for one question to the chain, over all its urls'),

  // The signer and its keys, and mandate issuers that are trusted in addition to our own authority.
  ...signerSettings,
  TRUST_ANCHORS_FILE: text().describe(
    'issuers of mandates that are trusted in addition to our own authority',
  ),

  PROVIDER_WEBHOOK_KEYS_FILE: text().describe(
    'JSON array of the keys that payment providers sign their events with; empty: no event is believed',
  ),

  OPERATOR_OIDC_ISSUER: z
    .union([z.literal(''), z.url()])
    .default('')
    .describe(
      'an OpenID Connect issuer whose access tokens operators may present; empty: only our own credentials',
    ),
  OPERATOR_OIDC_AUDIENCE: text().describe('what those tokens have to be made for; empty: BASE_URL'),
  OPERATOR_OIDC_SCOPE: z
    .string()
    .min(1)
    .default('agent-rails:operate')
    .describe('the scope that makes an operator'),
  OPERATOR_OIDC_CLIENT_ID: text().describe(
    'the client of that issuer for signing in to the console; empty: only by credential',
  ),
  OPERATOR_OIDC_CLIENT_SECRET: text().describe(
    'of that client; empty: a public client, which PKCE protects',
  ),

  // The call pipeline.
  KEY_PUBLISH_S: count(600).describe('how long a next signing key is published before it signs'),
  CHALLENGE_TTL_S: between(60, 3600, 900).describe('life of a payout challenge, 60 to 3600'),
  EXECUTE_WAIT_MS: milliseconds(10_000).describe(
    'how long an execute waits for its transfer before it answers 202',
  ),
  EXECUTE_LIFE_MIN_S: count(limits.executeLifeSecondsMin).describe(
    'life that a payout needs when its transfer is reserved, so that it can confirm before it dies',
  ),
  CALL_LEASE_MS: milliseconds(15_000).describe(
    'after it, another process may take over a call that was begun',
  ),
  UPDATE_WAIT_MS: milliseconds(8_000).describe(
    'how long a call waits for its workflow before it answers 503',
  ),
  SETTLE_WAIT_MS: milliseconds(8_000).describe(
    'how long a call waits for its payment to settle before it answers 503',
  ),
  DEPENDENCY_TIMEOUT_MS: milliseconds(1_000).describe(
    'for one attempt at Temporal; above 1200, an unavailable Temporal is reported late',
  ),
  SWEEP_EVERY_MS: milliseconds(2_000).describe(
    'between two rounds of the sweeper that finishes what a dead process left',
  ),
  ...logSettings,
  SWEEP_GRACE_MS: milliseconds(30_000).describe(
    'how long after its lease an abandoned call keeps its grant',
  ),
  LATE_AFTER_MS: milliseconds(10_000).describe(
    'age of an open row at which its workflow is woken, and the unit of the ages at which rows count as late',
  ),
  RECONCILE_EVERY_MS: milliseconds(3_600_000).describe('between two scheduled reconciliations'),
  RECONCILE_SETTLE_MS: milliseconds(10_000).describe(
    'how long a difference has to last before it opens an exception: longer than a step that is in flight',
  ),
  CONFIRM_WINDOW_MS: milliseconds(20_000).describe(
    'how long one confirming activity looks before it reports back',
  ),
  X402_FACILITATOR_URL: optionalUrl.describe(
    'an x402 facilitator elsewhere; empty: the one in this process',
  ),
  X402_MIN_REMAINING_S: count(60).describe('life that a payment needs when it is accepted'),
  X402_MAX_TIMEOUT_S: count(600).describe('maxTimeoutSeconds of the offers'),
  FREE_GRANTS_PER_ADDRESS_PER_DAY: count(10_000).describe(
    'free calls over all wallets of a client address',
  ),
  FREE_GRANTS_PER_DAY: count(100_000).describe('free calls over all wallets'),
  LIMIT_WALLET_PER_MINUTE: count(120).describe('calls with a proof of one wallet'),
  LIMIT_NEW_WALLETS_PER_MINUTE: count(60).describe(
    'calls with proofs of wallets that never paid for a call, from one client address',
  ),
  LIMIT_AGENT_PER_MINUTE: count(120).describe('calls with one credential of an agent'),
  LIMIT_PUBLIC_READS_PER_MINUTE: count(60).describe(
    'calls that read, without a credential, from one client address',
  ),
  LIMIT_PUBLIC_DOCUMENTS_PER_MINUTE: count(600).describe(
    'reads, without a credential, of documents that any cache may keep, from one client address',
  ),
  LIMIT_PUBLIC_WRITES_PER_MINUTE: count(10).describe(
    'calls that store, without a credential, from one client address',
  ),
  ...quotaSettings,
  ...harnessSettings,
  ...oauthSettings,
  CONNECTIONS_PER_NETWORK: count(1_024).describe(
    'connections that one network (/24 of IPv4, /64 of IPv6) holds at once; not applied behind a trusted proxy',
  ),
  LIMIT_ADDRESS_PER_MINUTE: count(6_000).describe('calls from one client address'),
  LIMIT_FAILED_CREDENTIALS_PER_MINUTE: count(60).describe(
    'wrong credentials, proofs, tokens and webhook signatures from one client address, or at one credential, before each further one is answered late',
  ),
  PAYOUT_BALANCE_MIN_ATOMIC: atomic(0n).describe(
    'a new transfer that would leave less than this in the payout wallet is refused; 0: no minimum',
  ),
  CANARY_RECIPIENT: address
    .or(z.literal(''))
    .default('')
    .describe('where a small transfer goes ahead of each UTC day’s payouts; empty: none does'),
  CANARY_AMOUNT_ATOMIC: atomic(10_000n)
    .pipe(z.bigint().min(1n).max(limits.maxPayoutAtomic))
    .describe('what the canary transfers'),
  CANARY_LIFE_S: atLeast(1, 3600).describe(
    'after it, a canary that could not be mined has failed, and the payout rail is paused',
  ),
  CALLBACK_ALLOW_HOSTS: list
    .pipe(
      z.array(
        z.url({ protocol: /^https?$/ }).regex(/^[^/]+\/\/[^/]+$/, 'an origin, without a path'),
      ),
    )
    .default([])
    .describe(
      'origins that callbacks reach as they are, such as https://localhost:8443, without the rules about ports and addresses; for local work only',
    ),
  INPUT_KEEP_MS: milliseconds(7 * 24 * 3600 * 1000).describe(
    'how long an uploaded input is kept after its upload and after the last task that used it has closed',
  ),
  INPUT_KEEP_SANDBOX_MS: milliseconds(24 * 3600 * 1000).describe(
    'the same for inputs of sandbox agents',
  ),
  WORK_ORDER_KEEP_MS: milliseconds(30 * 24 * 3600 * 1000).describe(
    'age at which a work order without an agent is closed, if it is undecided and no payment was requested for it',
  ),
  EXCHANGE_CLAIM_MS: milliseconds(24 * 3600 * 1000).describe(
    'how long an agent may keep a work order that it claimed on the exchange without delivering it',
  ),
  AGENT_RUNS_AT_ONCE: count(4).describe(
    'runs of one agent at once; its further tasks wait in their queue',
  ),
  CAGE_SOCKET: text().describe(
    'where the cage listens, the process without network, database and keys that reads the bytes of callers; empty: child processes of each process do, which ENVIRONMENT=live refuses',
  ),
  RUN_PROCESSES: atLeast(1, 2).describe(
    'processes of the cage for the work of trusted agents and for what is paid; strangers and public calls have two each',
  ),
  RUN_CPU_MS: milliseconds(60_000).describe(
    'processor time of one piece of work; ten times as long on the clock',
  ),
  RUN_MEMORY_MB: atLeast(128, 1_024).describe('memory of one piece of work on an input'),
  RAIL_RUNS_AT_ONCE: count(64).describe('runs of one rail at once, over all agents'),
  ...directorySettings,
  ...feeSettings,
  ...identitySettings,
  ...modelSettings,
  ...uploadSettings,
  CREATED_LIFE_MS: milliseconds(7 * 24 * 3600 * 1000).describe(
    'after it, the workflow of a payout that was never authorized closes; its row stays',
  ),
})

export type Config = z.output<typeof configSchema>

/** Parses the environment once, at start; throws a readable list of the faults. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const config = parsed(configSchema, environment)
  if (config.ENVIRONMENT === 'live') assertLive(config)
  assertModel(config)
  assertTemporal(config)
  const ours = [
    config.PAYOUT_WALLET_ADDRESS,
    config.PAY_TO_ADDRESS,
    config.TREASURY_PRINCIPAL_ADDRESS,
    config.TREASURY_HOLDER_ADDRESS,
  ]
  if (new Set(ours).size !== ours.length) {
    throw new Error(
      'configuration: payout wallet, pay-to, treasury principal and treasury holder must be four different addresses',
    )
  }
  if (
    config.CANARY_RECIPIENT !== '' &&
    [...ours, config.ASSET_CONTRACT_ADDRESS].includes(config.CANARY_RECIPIENT)
  ) {
    throw new Error('configuration: CANARY_RECIPIENT must be none of the addresses of this service')
  }
  return config
}

/** The one setting that migrations need, so that they run where nothing else is configured yet. */
export function loadDatabaseUrl(environment: NodeJS.ProcessEnv = process.env): string {
  return parsed(configSchema.pick({ DATABASE_URL: true }), environment).DATABASE_URL
}

const infrastructureSchema = configSchema.pick({
  BASE_URL: true,
  DATABASE_URL: true,
  TEMPORAL_ADDRESS: true,
  TEMPORAL_NAMESPACE: true,
  TEMPORAL_API_KEY: true,
  TEMPORAL_TLS: true,
  TEMPORAL_TLS_CA_FILE: true,
  TEMPORAL_TLS_CERT_FILE: true,
  TEMPORAL_TLS_KEY_FILE: true,
  CHAIN_RPC_URL: true,
})

/** How to reach the servers: the settings that are known before the local chain has its token and accounts. */
export type Infrastructure = z.output<typeof infrastructureSchema>

/** Parses the settings of `Infrastructure`; throws a readable list of the faults. */
export function loadInfrastructure(environment: NodeJS.ProcessEnv = process.env): Infrastructure {
  return parsed(infrastructureSchema, environment)
}

/** Reads a JSON file that a setting names, such as the signing keys; its errors name the file and never quote its contents. */
export function readJsonFile<T>(path: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(parseQuietly(path))
  if (!result.success) throw new Error(`${path}: ${z.prettifyError(result.error)}`)
  return result.data
}

// The cause is dropped: a JSON parser quotes the text it fails at, and that text may be a private key.
function parseQuietly(path: string): unknown {
  const text = readFileSync(path, 'utf8')
  const value = jsonOf(text)
  if (value === undefined) throw new Error(`${path}: it cannot be read as JSON`)
  if (!readsOneWay(text, value)) throw new Error(`${path}: an object in it names a member twice`)
  return value
}

/** What the schema makes of the environment; throws a readable list of the faults. */
export function parsed<T>(schema: z.ZodType<T>, environment: NodeJS.ProcessEnv): T {
  const result = schema.safeParse(environment)
  if (!result.success) throw new Error(`configuration: ${z.prettifyError(result.error)}`)
  return result.data
}
