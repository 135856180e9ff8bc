import type { z } from 'zod'
import type { boundSets } from '#domain/core/contract-sets.ts'
import type { JudgedControl } from '#domain/production/hardening.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { publishedKey } from '../../activities/keys/published-key.ts'
import type { AgentCard } from './agent-card.ts'
import type { AgentTools } from './agent-tools.ts'
import type { IdentityRegistration } from './identity-registration.ts'
import type { McpDescriptor } from './mcp.ts'
import type { ProtocolBindingView } from './protocol-bindings.ts'
import type { RateLimit } from './rate-policies.ts'
import type { Quickstart, StartHere } from './start-here.ts'

export type SchemaEntry = { name: string; version: string; url: string; sha256: string }
/** Prints a schema document; by the name of its file. */
export type SchemaDocuments = Readonly<Record<string, () => Record<string, unknown>>>
export type SchemaDocument = { $schema: string; $id: string } & Record<string, unknown>
export type PublishedSchemas = {
  index(): SchemaEntry[]
  read(name: string): SchemaDocument | undefined
}

/** The operations of a path, printed from the registry, with the live counts of its records. */
export type ContractView = {
  path: string
  version: string
  operations: Record<string, unknown>[]
  policy_rules: string[]
  contract_sets: (typeof boundSets)[number][]
  live: Record<string, number>
}

export type OpenApiDocument = { openapi: string; info: unknown; paths: unknown }
/** The key of the authority; its other members are for readers. */
export type AuthorityKey = {
  alg: string
  contexts: string[]
  version: number
  key_id: string | null
}
/** The issuer document; its other members are for readers. */
export type TrustContract = {
  service_id: 'service-trust-v1'
  issuer: string
  alg: string
  key_id: string | null
  payout: Record<string, unknown>
}
/** Documents that print the registry, the keys and the configuration. */
export type DiscoveryCommands = {
  openapi(): OpenApiDocument
  jwks(): Promise<{ keys: ReturnType<typeof publishedKey>[] }>
  authorityKey(): Promise<AuthorityKey>
  trustContract(): Promise<TrustContract>
  mcp(): z.output<typeof McpDescriptor>
  bindings(): ProtocolBindingView[]
  agentCard(): Promise<z.output<typeof AgentCard>>
  identityRegistration(): z.output<typeof IdentityRegistration>
  agentTools(): z.output<typeof AgentTools>
  startHere(rail: RailKey): z.output<typeof StartHere>
  rateLimits(): z.output<typeof RateLimit>[]
  quickstart(rail: RailKey): z.output<typeof Quickstart>
  quickstartOfAgent(asked: {
    rail: RailKey
    input?: Record<string, unknown> | undefined
  }): z.output<typeof Quickstart>['calls']
  readonly schemas: PublishedSchemas
}
export type HardeningCommands = {
  read(): Promise<{ controls: (JudgedControl & { measured_at: string })[] }>
}
type DependencyStates = Record<string, { ok: boolean; detail: string }>
export type HealthCommands = {
  dependencies(): Promise<DependencyStates>
  /** `degraded`: what is away without making the service unready. For payouts, nothing may be. */
  ready(purpose?: 'payouts'): Promise<{ ok: boolean; degraded: string[]; checks: DependencyStates }>
}

/** The contract views, one for each path that has one. */
export type ContractCommands = Record<
  | 'registration'
  | 'binding'
  | 'loop'
  | 'walletRun'
  | 'pilotIntake'
  | 'invitation'
  | 'trustListing'
  | 'activationPath'
  | 'pilotRun',
  () => Promise<ContractView>
> & {
  sandbox(): Promise<ContractView & { rails: RailKey[] }>
  controlledPilot(rail: RailKey, path: string): Promise<ContractView>
}
