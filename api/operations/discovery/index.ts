import { agentCardRead } from './agent-card.ts'
import { agentRegistrationRead } from './agent-registration.ts'
import { agentTools } from './agent-tools.ts'
import { agentsStartHere } from './agents-start-here.ts'
import { authorityKey } from './authority-key.ts'
import { healthz } from './healthz.ts'
import { jwks } from './jwks.ts'
import { mcpDescriptor } from './mcp-descriptor.ts'
import { openapi } from './openapi.ts'
import { agentQuickstartRead } from './quickstart-read.ts'
import { agentQuickstartRun } from './quickstart-run.ts'
import { readyz } from './readyz.ts'
import { agentSandboxRead } from './sandbox-read.ts'
import { agentSandboxRun } from './sandbox-run.ts'
import { schemaIndex } from './schema-index.ts'
import { schemaRead } from './schema-read.ts'
import { trustContract } from './trust-contract.ts'

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
