import { z } from 'zod'
import { text } from './setting-kinds.ts'

/** The identity registry (ERC-8004, an ERC-721 contract on the configured chain), and the token of this service there. */
export const identitySettings = {
  IDENTITY_REGISTRY_ADDRESS: z
    .string()
    .regex(/^(0x[0-9a-fA-F]{40})?$/)
    .transform((text) => text.toLowerCase() as `0x${string}` | '')
    .default('')
    .describe(
      'the identity registry whose tokens agents may prove to own when they register, such as 0x8004A169FB4a3325136EB29fA0ceB6D2e539a432 on Base; it is only read; empty: no identity is taken',
    ),
  IDENTITY_TOKEN_ID: z
    .string()
    .regex(/^(0|[1-9][0-9]{0,14})?$/)
    .default('')
    .describe(
      'the token of this service in that registry, shown in its registration file; empty: it is not registered there',
    ),
}

/** Access of agents to MCP by access tokens of an issuer elsewhere. */
export const oauthSettings = {
  MCP_OAUTH_ISSUER: text().describe(
    'the issuer (`iss`) whose access tokens agents may present over MCP; empty: only our own access keys',
  ),
  MCP_OAUTH_JWKS_URL: text().describe(
    'where that issuer publishes its keys; only HTTPS at a public address',
  ),
  MCP_OAUTH_SUBJECTS_FILE: text().describe(
    'JSON: which agent each subject (`sub`) of that issuer is, as {"subject": "agt_…"}',
  ),
}
