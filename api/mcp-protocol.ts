import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { packageVersion } from '../activities/config/package-root.ts'

export const ENDPOINT = '/api/mcp'
/** The endpoint and its alias. */
export const endpointPaths = [ENDPOINT, '/api/mcp-server-wrapper'] as const

/** The methods of the Tasks extension that are served (SEP-2663). */
export const taskMethods = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const

export const SERVER_NAME = 'agent-rails'
export const serverVersion = packageVersion()

/** The revision without sessions, in which each request names its version. */
export const CURRENT_VERSION = '2026-07-28'
const OLDEST_VERSION = '2024-11-05'
/** The versions that begin with `initialize`, newest first. */
export const legacyVersions = SUPPORTED_PROTOCOL_VERSIONS.filter(
  (version) => version >= OLDEST_VERSION,
)
