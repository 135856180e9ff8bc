import type { z } from 'zod'
import { NETWORK } from '#domain/core/limits.ts'
import type { Config } from '../../activities/config/config.ts'
import { mcpDescriptor } from '../mcp/descriptor.ts'
import { CURRENT_VERSION } from '../mcp-protocol.ts'
import { type AnyOperation, takesPayment } from '../operation.ts'
import type { IdentityRegistration } from '../shapes/identity-registration.ts'

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
