import { z } from 'zod'
import { McpDescriptor } from './mcp.ts'

const { name, title, version, description, endpoint, transport, protocol_versions, tools } =
  McpDescriptor.shape
const tool = tools.element.shape

/** What is submitted to a directory: where the service is and what it serves, as the registry declares it. */
export const DirectoryDocument = z
  .strictObject({
    type: z.literal('service.directory-submission.v1'),
    name,
    title,
    version,
    description,
    url: z.string(),
    mcp: z.strictObject({ endpoint, transport, protocol_versions, descriptor: z.string() }),
    openapi: z.string(),
    agent_card: z.string(),
    agent_tools: z.string(),
    documentation: z.string(),
    tools: z.array(
      z.strictObject({
        name: tool.name,
        description: tool.description,
        access: tool.access,
        price: tool.price,
      }),
    ),
    rails: z.array(
      z.strictObject({ rail: z.string(), summary: z.string(), capabilities: z.array(z.string()) }),
    ),
  })
  .meta({ id: 'DirectoryDocument' })
