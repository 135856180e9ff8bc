import { agentHarnessRead } from './agent-harness-read.ts'
import { agentHarnessRun } from './agent-harness-run.ts'
import { credentialTestRead } from './credential-test-read.ts'
import { credentialTestRun } from './credential-test-run.ts'
import { externalAgentRead } from './external-agent-read.ts'
import { externalAgentRun } from './external-agent-run.ts'
import { externalInvocationRead } from './external-invocation-read.ts'
import { externalInvocationRun } from './external-invocation-run.ts'
import { regressionPersist } from './regression-persist.ts'
import { regressionRead } from './regression-read.ts'
import { regressionStore } from './regression-store.ts'

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
