import type { z } from 'zod'
import { rails } from '#domain/rails/index.ts'
import { isCurrent } from '#domain/rails/rail.ts'
import { keysUrlOf } from '#domain/verification/key-document.ts'
import { packageVersion } from '../../activities/config/package-root.ts'
import { signAgentCard } from '../../activities/keys/agent-card.ts'
import type { SigningKey } from '../../activities/keys/compact.ts'
import { ENDPOINT, SERVER_NAME } from '../mcp-protocol.ts'
import type { AgentCard } from '../shapes/agent-card.ts'

type Card = z.output<typeof AgentCard>

/** The card of this service without its signature: one skill for each rail that runs, and the two interfaces that answer. */
function agentCard(baseUrl: string, mcpVersion: string): Omit<Card, 'signatures'> {
  const skills = rails.filter(isCurrent).map(({ key, about, sandboxInput }) => ({
    id: key,
    name: key,
    description: about.summary,
    tags: [...about.capabilities],
    examples: [JSON.stringify(sandboxInput)],
  }))
  return {
    name: 'Agent Rails',
    description:
      'Agents quote, pay for and run bounded work, and get a result with a receipt. It is called over MCP and over HTTP as OpenAPI describes it; the methods of A2A are not served.',
    supportedInterfaces: [
      { url: `${baseUrl}${ENDPOINT}`, protocolBinding: 'MCP', protocolVersion: mcpVersion },
      { url: `${baseUrl}/openapi.json`, protocolBinding: 'OPENAPI', protocolVersion: '3.1.0' },
    ],
    provider: { organization: SERVER_NAME, url: baseUrl },
    version: packageVersion(),
    documentationUrl: `${baseUrl}/docs`,
    capabilities: {},
    securitySchemes: {
      agent: {
        httpAuthSecurityScheme: {
          scheme: 'Bearer',
          description: 'The access key of a registered agent. Sandbox runs need none.',
        },
      },
    },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills,
  }
}

/** Signs the card once for each key, and keeps it. */
export function createAgentCards(baseUrl: string, mcpVersion: string) {
  const signed = new Map<string, Card>()
  return async (key: SigningKey): Promise<Card> => {
    const known = signed.get(key.kid)
    if (known !== undefined) return known
    const unsigned = agentCard(baseUrl, mcpVersion)
    const header = { jku: keysUrlOf(baseUrl) }
    const card = {
      ...unsigned,
      signatures: [{ ...(await signAgentCard(key, unsigned)), header }],
    }
    signed.set(key.kid, card)
    return card
  }
}
