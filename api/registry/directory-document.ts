import type { z } from 'zod'
import { rails } from '#domain/rails/index.ts'
import { isCurrent } from '#domain/rails/rail.ts'
import { mcpDescriptor } from '../mcp/descriptor.ts'
import type { AnyOperation } from '../operation.ts'
import type { DirectoryDocument } from '../shapes/directory-document.ts'

/** The document for directories: equal for one build and configuration, because it names no time. */
export function directoryDocument(
  registry: readonly AnyOperation[],
  baseUrl: string,
): z.output<typeof DirectoryDocument> {
  const { name, title, version, description, endpoint, transport, protocol_versions, tools } =
    mcpDescriptor(registry, baseUrl)
  return {
    type: 'service.directory-submission.v1',
    name,
    title,
    version,
    description,
    url: baseUrl,
    mcp: {
      endpoint,
      transport,
      protocol_versions,
      descriptor: `${baseUrl}/.well-known/mcp.json`,
    },
    openapi: `${baseUrl}/openapi.json`,
    agent_card: `${baseUrl}/.well-known/agent-card.json`,
    agent_tools: `${baseUrl}/agent-tools.json`,
    documentation: `${baseUrl}/docs`,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      access: tool.access,
      price: tool.price,
    })),
    rails: rails.filter(isCurrent).map(({ key, about }) => ({
      rail: key,
      summary: about.summary,
      capabilities: [...about.capabilities],
    })),
  }
}
