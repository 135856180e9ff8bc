import { operation } from '../../operation.ts'
import { AgentCard } from '../../registry/agent-card-shape.ts'

/** GET /.well-known/agent-card.json: the A2A card, signed by the active receipt key. */
export const agentCardRead = operation({
  id: 'agent-card',
  summary: 'The signed A2A card: the rails that run as skills, and the interfaces that answer.',
  http: { method: 'GET', path: '/.well-known/agent-card.json', host: 'base', cacheable: true },
  access: 'public',
  output: AgentCard,
  handle: async (_input, { discovery }) => ({ body: await discovery.agentCard() }),
})
