import type { AgentDeps, Issuing } from '../activities/agents/deps.ts'
import { openAgents } from '../activities/agents/desk.ts'
import { spokeFor } from '../activities/agents/handshake.ts'
import { railsNamed } from '../activities/agents/rails.ts'
import { registrationBy } from '../activities/agents/registration.ts'
import { openSigning } from '../activities/agents/signing-desk.ts'
import { callbackHosts } from '../activities/callbacks/hosts.ts'
import { openPayoutCallbacks } from '../activities/callbacks/payouts.ts'
import { openCallbacks } from '../activities/callbacks/receiver.ts'
import type { Config } from '../activities/config.ts'
import { openInputs } from '../activities/inputs/desk.ts'
import { deriveTokens } from '../activities/keys/derived-tokens.ts'
import { type KeyRings, loadTokenKeys } from '../activities/keys/key-ring.ts'
import { agentSubject } from '../activities/reviews/agent.ts'
import { openReviews, type ReviewDeps } from '../activities/reviews/desk.ts'
import { referenceSubject } from '../activities/reviews/payment-reference.ts'
import { findCredential } from '../activities/store/agent-credentials.ts'
import { countRunsOf } from '../activities/store/agent-runs.ts'
import { countTrustStates, findAgentByToken, isTrustedAgent } from '../activities/store/agents.ts'
import { countBound } from '../activities/store/challenges.ts'
import { findKnownSecret } from '../activities/store/known-secrets.ts'
import { findTask } from '../activities/store/tasks.ts'
import { countPaidByWallet, findWorkOrder } from '../activities/store/work-orders.ts'
import { createAttempts } from './auth/attempts.ts'
import type { Context } from './context.ts'
import { contractView } from './contract-view.ts'
import { createEnforcement } from './enforcement.ts'
import type { AnyOperation } from './operation.ts'
import type { RoadDeps } from './road.ts'

type AgentSettings = Issuing &
  Pick<AgentDeps, 'db'> & { config: Config; registry: () => readonly AnyOperation[]; keys: KeyRings } & {
    reviewing: Pick<ReviewDeps, 'subjects' | 'wakeTask'>
  }
type AgentDesks = {
  acts: Pick<
    Context,
    'agents' | 'signing' | 'reviews' | 'enforcement' | 'contracts' | 'inputs' | 'callbacks' | 'payoutCallbacks'
  >
  lookups: Pick<RoadDeps, 'agents' | 'attempts'>
}

/** Wires what agents and their reviewers do, and how the road finds out whose credentials, tokens and signatures it sees. */
export function openAgentDesks({ config, registry, keys, reviewing, ...issuing }: AgentSettings): AgentDesks {
  const { db } = issuing
  const tokens = deriveTokens(loadTokenKeys(config.SIGNING_KEYS_FILE), (kind, sha256s) =>
    findKnownSecret(db, kind, sha256s),
  )
  const acts = {
    agents: openAgents({ ...issuing, baseUrl: config.BASE_URL, tokens, callbackHosts: callbackHosts(config) }),
    signing: openSigning({ ...issuing, keys }),
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
      registration: async () => contractView(registry(), '/api/agents/register', await countTrustStates(db)),
      binding: async () => contractView(registry(), '/api/agent-credit-checkout-binding', await countBound(db)),
      walletRun: async () => contractView(registry(), '/api/wallet-bound-rail-run', await countPaidByWallet(db)),
      loop: async () => contractView(registry(), '/api/agent-self-serve-rail-loop', await countRunsOf(db, {})),
    },
  }
  const agents: RoadDeps['agents'] = {
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
    spokeFor: (agentId, text, signature) => spokeFor({ db }, agentId, text, signature),
    registrationBy: (publicJwk) => registrationBy(db, publicJwk),
  }
  return { acts, lookups: { agents, attempts: createAttempts(db, config.LIMIT_FAILED_CREDENTIALS_PER_MINUTE) } }
}
