import { judgeHardening } from '#domain/production/hardening.ts'
import { keepFresh } from '../../activities/chain/shared-reading.ts'
import type { Config } from '../../activities/config/config.ts'
import { loadProviderKeys } from '../../activities/keys/provider-signature.ts'
import type { Tx } from '../../activities/store/postgres/db.ts'
import { readHardening } from '../../activities/store/production/hardening.ts'
import { type AnyOperation, waysOf } from '../operation.ts'
import type { HardeningCommands } from '../shapes/documents.ts'

type Deps = {
  db: Tx
  config: Config
  registry: readonly AnyOperation[]
}

/** Callers share a reading for so long. */
const SHARED_MS = 500

/** Judges the controls by the registry, the settings of this process and the records. */
export function createHardening({ db, config, registry }: Deps): HardeningCommands {
  const keys = loadProviderKeys(config.PROVIDER_WEBHOOK_KEYS_FILE).length
  const gated = registry.filter(({ gate }) => gate !== undefined)
  const keyed = registry.filter((operation) => waysOf(operation).includes('agent'))
  const withoutTerms = gated.filter(({ input }) => !takesTerms(input)).map(({ id }) => id)
  const withoutScopes = keyed.filter(({ needs }) => needs === undefined).map(({ id }) => id)
  const records = keepFresh(() => readHardening(db), SHARED_MS)
  return {
    read: async () => {
      const seen = await records()
      const controls = judgeHardening({
        webhooks: { keys, events: seen.events },
        releases: { begun: seen.begun, unapproved: seen.unapproved },
        limitsPerMinute: {
          LIMIT_ADDRESS_PER_MINUTE: config.LIMIT_ADDRESS_PER_MINUTE,
          LIMIT_WALLET_PER_MINUTE: config.LIMIT_WALLET_PER_MINUTE,
          LIMIT_NEW_WALLETS_PER_MINUTE: config.LIMIT_NEW_WALLETS_PER_MINUTE,
          LIMIT_AGENT_PER_MINUTE: config.LIMIT_AGENT_PER_MINUTE,
          LIMIT_PUBLIC_READS_PER_MINUTE: config.LIMIT_PUBLIC_READS_PER_MINUTE,
          LIMIT_PUBLIC_DOCUMENTS_PER_MINUTE: config.LIMIT_PUBLIC_DOCUMENTS_PER_MINUTE,
          LIMIT_PUBLIC_WRITES_PER_MINUTE: config.LIMIT_PUBLIC_WRITES_PER_MINUTE,
        },
        callersCounted: seen.counted,
        failuresPerMinute: config.LIMIT_FAILED_CREDENTIALS_PER_MINUTE,
        subjectsFailing: seen.failing,
        terms: { gated: gated.length, without: withoutTerms, accepted: seen.accepted },
        pauses: {
          operators: seen.operators + (config.OPERATOR_OIDC_ISSUER === '' ? 0 : 1),
          scopes: seen.paused,
        },
        keyAges: seen.key_ages,
        log: { checkpointAge: seen.checkpoint_age, queuedFor: seen.queued_for },
        enforcement: { operations: keyed.length, without: withoutScopes },
      })
      const measured_at = seen.measured_at.toISOString()
      return { controls: controls.map((judged) => ({ ...judged, measured_at })) }
    },
  }
}

/** Whether an input holds an acceptance of terms, in a field or as their digest. */
const takesTerms = (input: AnyOperation['input']): boolean =>
  'shape' in input &&
  ['accept_terms', 'terms_sha256'].some((field) => field in (input.shape as object))
