import type { z } from 'zod'
import { type ProtocolBinding, protocolBindings, provenBy } from '#domain/commerce/missions.ts'
import { NETWORK } from '#domain/core/limits.ts'
import { rails } from '#domain/rails/index.ts'
import { isCurrent } from '#domain/rails/rail.ts'
import { keysUrlOf } from '#domain/verification/key-document.ts'
import type { Config } from '../../activities/config/config.ts'
import { packageVersion } from '../../activities/config/package-root.ts'
import { signAgentCard } from '../../activities/keys/agent-card.ts'
import type { SigningKey } from '../../activities/keys/compact.ts'
import { mcpDescriptor } from '../mcp/descriptor.ts'
import { CURRENT_VERSION, ENDPOINT, SERVER_NAME } from '../mcp-protocol.ts'
import { type AnyOperation, takesPayment } from '../operation.ts'
import type { AgentCard } from '../shapes/agent-card.ts'
import type { IdentityRegistration } from '../shapes/identity-registration.ts'
import type { ProtocolBindingView } from '../shapes/protocol-bindings.ts'

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

type Settings = Pick<Config, 'BASE_URL' | 'IDENTITY_REGISTRY_ADDRESS' | 'IDENTITY_TOKEN_ID'>

/** This service as ERC-8004 describes an agent, from the registry and the configuration. */
export function identityRegistration(
  registry: readonly AnyOperation[],
  settings: Settings,
): z.output<typeof IdentityRegistration> {
  const { BASE_URL: baseUrl, IDENTITY_REGISTRY_ADDRESS: contract, IDENTITY_TOKEN_ID: id } = settings
  const { title, description, endpoint } = mcpDescriptor(registry, baseUrl)
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name: title,
    description,
    image: `${baseUrl}/pages/icon.svg`,
    services: [
      { name: 'MCP', endpoint, version: CURRENT_VERSION },
      { name: 'OpenAPI', endpoint: `${baseUrl}/openapi.json`, version: '3.1.0' },
    ],
    x402Support: registry.some(takesPayment),
    active: true,
    registrations:
      contract === '' || id === ''
        ? []
        : [{ agentId: Number(id), agentRegistry: `${NETWORK}:${contract}` }],
    supportedTrust: [],
  }
}

/** Where this service speaks each protocol, and the payment that proves it; a protocol whose operation is not there has no URL. */
export function bindingsOf(
  registry: readonly AnyOperation[],
  baseUrl: string,
): ProtocolBindingView[] {
  const urlOf = (isOne: (operation: AnyOperation) => boolean) => {
    const found = registry.find(isOne)
    return found === undefined ? null : baseUrl + found.http.path
  }
  const hasTools = registry.some(({ tool }) => tool !== undefined)
  const payments = urlOf(({ id }) => id === 'payment-reference-create')
  const known: Record<ProtocolBinding, Omit<ProtocolBindingView, 'binding'>> = {
    mcp: { url: hasTools ? baseUrl + ENDPOINT : null, held_against: null },
    http: { url: urlOf(({ id }) => id === 'openapi'), held_against: null },
    a2a: { url: urlOf(({ id }) => id === 'agent-card'), held_against: null },
    x402: { url: payments, held_against: provenBy.x402 },
    ap2: { url: payments, held_against: provenBy.ap2 },
  }
  return protocolBindings.map((binding) => ({ binding, ...known[binding] }))
}
