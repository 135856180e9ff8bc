import { text } from './setting-kinds.ts'

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
