import { BASE_URL, digests } from './ids.ts'

const submission = {
  submission_id: 'ds_3b7f6a0c1d9e84257f1c0b6ad2e59f83c4170de6b98a25f341c7e0d96b8f52a1',
  directory: 'registry.example',
  state: 'submitted',
  document_sha256: digests.input,
  attempts: 0,
  last_failure: null,
  at: '2026-06-17T12:00:00.000Z',
} as const
const base = BASE_URL

/** Requests and answers of the submissions to directories. */
export const directoryExamples = {
  'directory-read': {
    input: { submission_id: submission.submission_id },
    output: {
      directories: [
        { directory: 'registry.example', configured: true },
        { directory: 'other.example', configured: false },
      ],
      submissions: [{ ...submission, state: 'accepted', attempts: 1 }],
    },
  },
  'directory-submit': {
    input: { directory: 'registry.example', idempotency_key: 'registry-2026-06' },
    output: {
      submission,
      document: {
        type: 'service.directory-submission.v1',
        name: 'agent-rails',
        title: 'Agent Rails',
        version: 'resolver-v0.1',
        description: 'Agents quote, pay for and run bounded work, and get a result with a receipt.',
        url: base,
        mcp: {
          endpoint: `${base}/api/mcp`,
          transport: 'streamable-http',
          protocol_versions: ['2026-07-28', '2025-11-25'],
          descriptor: `${base}/.well-known/mcp.json`,
        },
        openapi: `${base}/openapi.json`,
        agent_card: `${base}/.well-known/agent-card.json`,
        agent_tools: `${base}/agent-tools.json`,
        documentation: `${base}/docs`,
        tools: [
          {
            name: 'list_rails',
            description: 'List the rails with their tiers and prices.',
            access: ['public'],
            price: null,
          },
        ],
        rails: [
          {
            rail: 'packetops',
            summary: 'Assembles evidence into a sealed packet and names what is missing.',
            capabilities: ['assemble evidence packets'],
          },
        ],
      },
      document_sha256: digests.input,
    },
  },
} as const
