import { expect } from 'vitest'
import { dataPolicy } from '#domain/tasks/data-declaration.ts'
import type { TaskTerms } from '#domain/tasks/terms.ts'
import { contractTerms } from '../../../../api/services/tasks/contract-terms.ts'
import { verifies } from '../../../verifies.ts'

const terms: TaskTerms = {
  agent_id: null,
  rail: 'diligenceops',
  tier: 'standard',
  usage: 'operational',
  on_gaps: 'report',
  callback_url: null,
  objective: 'a questionnaire',
  input_manifest: [],
}
const policyOf = (changes: Partial<TaskTerms>, model: string | null) =>
  contractTerms({
    taskId: 'task-1',
    contractId: 'ct_1',
    terms: { ...terms, ...changes },
    criteria: [],
    model,
  }).data_policy

verifies('model.contract', 'a contract names the model that its run is drafted on by', () => {
  const model = 'small-1 at models.example'
  expect(policyOf({}, model)).toContain(`sent to the model ${model}`)
  for (const policy of [
    policyOf({}, null),
    policyOf({ usage: 'synthetic' }, model),
    policyOf({ rail: 'packetops' }, model),
  ])
    expect(policy).toBe(dataPolicy(null))
})
