import { credentialTestRead, credentialTestRun } from './credential-test.ts'
import { externalAgentRead, externalAgentRun } from './external-agent.ts'
import { externalInvocationRead, externalInvocationRun } from './external-invocation.ts'
import { regressionPersist, regressionRead, regressionStore } from './regressions.ts'
import { agentHarnessRead, agentHarnessRun } from './two-agents.ts'

/** Tests of the running service, and the reports that regressions are read from. */
export const harness = [
  agentHarnessRead,
  agentHarnessRun,
  externalInvocationRead,
  externalInvocationRun,
  externalAgentRead,
  externalAgentRun,
  credentialTestRead,
  credentialTestRun,
  regressionRead,
  regressionPersist,
  regressionStore,
] as const
