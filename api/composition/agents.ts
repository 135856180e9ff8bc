import { callbackHosts } from '../../activities/callback/hosts.ts'
import type { Config } from '../../activities/config/config.ts'
import { deriveTokens } from '../../activities/keys/derived-tokens.ts'
import { type KeyRings, loadTokenKeys } from '../../activities/keys/key-ring.ts'
import { openPayoutCallbacks } from '../../activities/payout/callbacks.ts'
import { findCredential } from '../../activities/store/agents/agent-credentials.ts'
import {
  countTrustStates,
  findAgentByToken,
  isTrustedAgent,
} from '../../activities/store/agents/agents.ts'
import { findKnownSecret } from '../../activities/store/calls/known-secrets.ts'
import { countBound } from '../../activities/store/payouts/challenges.ts'
import { countRunsOf } from '../../activities/store/tasks/agent-runs.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { countPaidByWallet, findWorkOrder } from '../../activities/store/work-orders/work-orders.ts'
import { createAttempts } from '../auth/attempts.ts'
import type { PipelineDeps } from '../calls/deps.ts'
import type { Context } from '../context.ts'
import type { AnyOperation } from '../operation.ts'
import { contractView } from '../registry/contract-view.ts'
import { createEnforcement } from '../registry/enforcement.ts'
import type { AgentDeps, Issuing } from '../services/agents/deps.ts'
import { HandshakeService, isSignedByAgent } from '../services/agents/handshake.ts'
import { railsNamed } from '../services/agents/rails.ts'
import { RegistrationService, registrationBy } from '../services/agents/registration.ts'
import { SigningService } from '../services/agents/signing.ts'
import { openCallbacks } from '../services/callbacks/demo-receiver.ts'
import { openInputs } from '../services/inputs/uploads.ts'
import { agentSubject } from '../services/reviews/agent.ts'
import { referenceSubject } from '../services/reviews/payment-reference.ts'
import { openReviews, type ReviewDeps } from '../services/reviews/reviews.ts'

type AgentSettings = Issuing &
  Pick<AgentDeps, 'db'> & {
    config: Config
    registry: readonly AnyOperation[]
    keys: KeyRings
  } & {
    reviewing: Pick<ReviewDeps, 'subjects' | 'wakeTask'>
  }
type AgentServices = {
  commands: Pick<
    Context,
    | 'registrations'
    | 'handshakes'
    | 'signing'
    | 'reviews'
    | 'enforcement'
    | 'contracts'
    | 'inputs'
    | 'callbacks'
    | 'payoutCallbacks'
  >
  lookups: Pick<PipelineDeps, 'agents' | 'attempts'>
}

/** Wires what agents and their reviewers do, and how the road finds out whose credentials, tokens and signatures it sees. */
export function openAgentServices({
  config,
  registry,
  keys,
  reviewing,
  ...issuing
}: AgentSettings): AgentServices {
  const { db } = issuing
  const tokens = deriveTokens(loadTokenKeys(config.SIGNING_KEYS_FILE), (kind, sha256s) =>
    findKnownSecret(db, kind, sha256s),
  )
  const agentDeps = {
    ...issuing,
    baseUrl: config.BASE_URL,
    tokens,
    callbackHosts: callbackHosts(config),
  }
  const commands = {
    registrations: new RegistrationService(agentDeps),
    handshakes: new HandshakeService(agentDeps),
    signing: new SigningService({ ...issuing, keys }),
    reviews: openReviews({
      ...issuing,
      ...reviewing,
      subjects: [agentSubject, ...reviewing.subjects, referenceSubject(issuing)],
      hosts: { base: config.BASE_URL, os: config.OS_URL },
    }),
    inputs: openInputs({ db, config }),
    callbacks: openCallbacks({ db, keys }),
    payoutCallbacks: openPayoutCallbacks(db, callbackHosts(config)),
    enforcement: createEnforcement({ db, registry }),
    contracts: {
      registration: async () =>
        contractView(registry, '/api/agents/register', await countTrustStates(db)),
      binding: async () =>
        contractView(registry, '/api/agent-credit-checkout-binding', await countBound(db)),
      walletRun: async () =>
        contractView(registry, '/api/wallet-bound-rail-run', await countPaidByWallet(db)),
      loop: async () =>
        contractView(registry, '/api/agent-self-serve-rail-loop', await countRunsOf(db, {})),
    },
  }
  const agents: PipelineDeps['agents'] = {
    findCredential: (credentialId) => findCredential(db, credentialId),
    findTokens: {
      st: async (tokenSha256) => {
        const agent = await findAgentByToken(db, tokenSha256)
        return agent && { subjectId: agent.agent_id, agentId: agent.agent_id }
      },
      wt: async (tokenSha256) => {
        const order = await findWorkOrder(db, { status_token_sha256: tokenSha256 })
        return order && { subjectId: order.work_order_id, agentId: order.agent_id ?? '' }
      },
      tk: async (tokenSha256) => {
        const task = await findTask(db, `task-${tokenSha256}`)
        return task && { subjectId: task.task_id, agentId: task.agent_id ?? '' }
      },
    },
    railsNamed: (agentId, input) => railsNamed(db, agentId, input),
    isTrusted: (agentId) => isTrustedAgent(db, agentId),
    spokeFor: (agentId, text, signature) => isSignedByAgent(db, { agentId, text, signature }),
    registrationBy: (publicJwk) => registrationBy(db, publicJwk),
  }
  return {
    commands,
    lookups: { agents, attempts: createAttempts(db, config.LIMIT_FAILED_CREDENTIALS_PER_MINUTE) },
  }
}
