import {
  agentCardRead,
  agentRegistrationRead,
  agentsStartHere,
  agentTools,
  authorityKey,
  jwks,
  mcpDescriptor,
  openapi,
  schemaIndex,
  schemaRead,
  trustContract,
} from './documents.ts'
import { healthz, readyz } from './health.ts'
import {
  agentQuickstartRead,
  agentQuickstartRun,
  agentSandboxRead,
  agentSandboxRun,
} from './sandbox.ts'

/** Documents and health. */
export const discovery = [
  healthz,
  readyz,
  openapi,
  agentTools,
  agentCardRead,
  agentRegistrationRead,
  agentsStartHere,
  agentQuickstartRead,
  agentQuickstartRun,
  agentSandboxRead,
  agentSandboxRun,
  mcpDescriptor,
  jwks,
  authorityKey,
  trustContract,
  schemaIndex,
  schemaRead,
] as const
