import { z } from 'zod'

const text = z.string().min(1)

/** An agent card of A2A 1.0; members that would have their default value are left out. */
export const AgentCard = z
  .strictObject({
    name: text,
    description: text,
    supportedInterfaces: z.array(
      z.strictObject({
        url: z.url(),
        protocolBinding: z.enum(['MCP', 'OPENAPI']).meta({
          description: 'None of the three bindings of A2A: its methods are not served here.',
        }),
        protocolVersion: text.meta({ description: 'Of the protocol that the binding names.' }),
      }),
    ),
    provider: z.strictObject({ organization: text, url: z.url() }),
    version: text,
    documentationUrl: z.url(),
    capabilities: z.strictObject({}),
    securitySchemes: z.strictObject({
      agent: z.strictObject({
        httpAuthSecurityScheme: z.strictObject({ scheme: z.literal('Bearer'), description: text }),
      }),
    }),
    defaultInputModes: z.array(text),
    defaultOutputModes: z.array(text),
    skills: z.array(
      z.strictObject({
        id: text,
        name: text,
        description: text,
        tags: z.array(text),
        examples: z.array(text).meta({ description: 'An input as JSON.' }),
      }),
    ),
    signatures: z.array(
      z.strictObject({
        protected: text,
        signature: text,
        header: z.strictObject({ jku: z.url() }),
      }),
    ),
  })
  .meta({ id: 'AgentCard' })
