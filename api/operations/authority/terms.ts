import { MandateLimits, mandateTerms } from '#domain/authority/artifacts.ts'
import { freeText } from '../../fields.ts'

/** The terms of a mandate as a caller asks for them. */
export const termsAsked = {
  principal_id: mandateTerms.principal_id.meta({
    description: 'Who the agent acts for.',
    'x-free-text': true,
  }),
  agent_id: mandateTerms.agent_id.meta({ description: 'The agent that may act.' }),
  purpose: freeText(500, 1).meta({
    ...freeText(500, 1).meta(),
    description: 'What the mandate is for, in words.',
  }),
  allowed_operations: mandateTerms.allowed_operations.meta({
    description: 'The ids of operations that can be delegated.',
  }),
  rails: mandateTerms.rails.default([]),
  resources: mandateTerms.resources
    .meta({ ...mandateTerms.resources.meta(), 'x-free-text': true })
    .default([]),
  limits: MandateLimits.extend({
    actions_max: MandateLimits.shape.actions_max.meta({
      description: 'How many actions the mandate permits.',
    }),
  }),
  valid_from: mandateTerms.valid_from.optional().meta({ description: 'Now by default.' }),
  expires_at: mandateTerms.expires_at,
}
