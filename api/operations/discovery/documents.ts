import { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { paymentPaths } from '#domain/payments/payment-reference.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { AgentCard } from '../../shapes/agent-card.ts'
import { AgentTools } from '../../shapes/agent-tools.ts'
import { Rail } from '../../shapes/agents.ts'
import { IdentityRegistration } from '../../shapes/identity-registration.ts'
import { McpDescriptor } from '../../shapes/mcp.ts'
import { Method } from '../../shapes/payments.ts'
import { RateLimit } from '../../shapes/rate-policies.ts'
import { StartHere } from '../../shapes/start-here.ts'
import { agentPricing } from '../quotes.ts'

/** GET /.well-known/agent-card.json: the A2A card, signed by the active receipt key. */
export const agentCardRead = operation({
  id: 'agent-card',
  summary: 'The signed A2A card: the rails that run as skills, and the interfaces that answer.',
  http: { method: 'GET', path: '/.well-known/agent-card.json', host: 'base', cacheable: true },
  access: 'public',
  output: AgentCard,
  handle: async (_input, { discovery }) => ({ body: await discovery.agentCard() }),
})

/** GET /.well-known/agent-registration.json: the registration file of ERC-8004, which also proves the domain. */
export const agentRegistrationRead = operation({
  id: 'agent-registration',
  summary:
    'The registration file of ERC-8004: the endpoints that answer, and the identity on chain.',
  http: {
    method: 'GET',
    path: '/.well-known/agent-registration.json',
    host: 'base',
    cacheable: true,
  },
  access: 'public',
  output: IdentityRegistration,
  handle: async (_input, { discovery }) => ({ body: discovery.identityRegistration() }),
})

/** GET /api/agents-start-here: the calls of a first run, printed from the registry and the rail's own sample input. */
export const agentsStartHere = operation({
  id: 'agents-start-here',
  summary: 'The calls from no agent to a first result, in order, with bodies that work.',
  http: { method: 'GET', path: '/api/agents-start-here', host: 'base', cacheable: true },
  access: 'public',
  input: z.strictObject({
    rail: Rail.default('packetops').meta({ description: 'One that is sold.' }),
  }),
  output: StartHere.extend({
    rate_limits: z.array(RateLimit).meta({
      description: 'How many calls a caller may make; answers name theirs in RateLimit-Policy.',
    }),
  }).meta({ id: 'AgentsStartHere' }),
  handle: async ({ rail }, { discovery }) => ({
    body: { ...discovery.startHere(rail), rate_limits: discovery.rateLimits() },
  }),
})

/** GET /.well-known/service-authority-key.json: the public key of the authority. */
export const authorityKey = operation({
  id: 'authority-key',
  summary: 'The key that signs mandates and challenges, and its earlier versions.',
  http: {
    method: 'GET',
    path: '/.well-known/service-authority-key.json',
    host: 'base',
    cacheable: true,
  },
  access: 'public',
  output: z.looseObject({
    alg: z.string(),
    contexts: z.array(z.string()).meta({ description: 'The types of what the key signs.' }),
    version: z.int(),
    key_id: z.string().nullable(),
  }),
  handle: async (_input, context) => ({
    body: await context.discovery.authorityKey(),
  }),
})

/** GET /.well-known/jwks.json: RFC 7517 set with `use_for`, `published_at`, `activated_at` (null for a key that does not sign yet), `retired_at` and `revoked_at`. */
export const jwks = operation({
  id: 'jwks',
  summary: 'Every public key of the service, with its purpose and status.',
  http: { method: 'GET', path: '/.well-known/jwks.json', host: 'base', cacheable: true },
  access: 'public',
  output: z
    .object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) })
    .meta({ id: 'Jwks' }),
  handle: async (_input, context) => ({ body: await context.discovery.jwks() }),
})

/** GET /.well-known/mcp.json: printed from the registry of operations. */
export const mcpDescriptor = operation({
  id: 'mcp-descriptor',
  summary: 'Where MCP is served, in which versions, and what each tool needs and costs.',
  http: { method: 'GET', path: '/.well-known/mcp.json', host: 'base', cacheable: true },
  access: 'public',
  output: McpDescriptor,
  handle: async (_input, context) => ({ body: context.discovery.mcp() }),
})

/** GET /openapi.json: printed from the registry of operations. */
export const openapi = operation({
  id: 'openapi',
  summary: 'This document: every operation of both hosts as OpenAPI 3.1.',
  http: { method: 'GET', path: '/openapi.json', host: 'base', cacheable: true },
  access: 'public',
  output: z.looseObject({ openapi: z.string(), info: z.unknown(), paths: z.unknown() }),
  handle: async (_input, context) => ({ body: await context.discovery.openapi() }),
})

const entry = z.strictObject({
  name: z.string(),
  version: z.string(),
  url: z.url(),
  sha256: Digest,
})

/** GET /schemas: the published schema documents. */
export const schemaIndex = operation({
  id: 'schema-index',
  summary: 'Every schema document with its version, its URL and the SHA-256 of its bytes.',
  http: { method: 'GET', path: '/schemas', host: 'base', cacheable: true },
  access: 'public',
  output: z.strictObject({ schemas: z.array(entry) }).meta({ id: 'SchemaIndex' }),
  handle: async (_input, context) => ({ body: { schemas: context.discovery.schemas.index() } }),
})

/** GET /schemas/{schema_name}: a document never changes under its name, a change is a new version. */
export const schemaRead = operation({
  id: 'schema-read',
  summary: 'One schema document: JSON Schema 2020-12, whose $id is its URL.',
  http: { method: 'GET', path: '/schemas/{schema_name}', host: 'base', cacheable: true },
  access: 'public',
  errors: ['not_found'],
  input: z.strictObject({ schema_name: z.string().regex(/^[a-z0-9.-]{1,64}$/) }),
  output: z.looseObject({ $schema: z.string(), $id: z.url() }).meta({ id: 'SchemaDocument' }),
  handle: async ({ schema_name }, context) => {
    const document = context.discovery.schemas.read(schema_name)
    if (document === undefined)
      throw refuse('not_found', {
        detail: 'no schema has this name',
        next_action: 'Read /schemas; it lists all.',
      })
    return { body: document }
  },
})

/** GET /api/trust-contract: the issuer document. */
export const trustContract = operation({
  id: 'trust-contract',
  summary:
    'What this service is and stands for: identity, keys, price, caps, wallet proof and typed data.',
  http: { method: 'GET', path: '/api/trust-contract', host: 'base', cacheable: true },
  access: 'public',
  output: z.looseObject({
    service_id: z.literal('service-trust-v1'),
    issuer: z.string(),
    alg: z.string(),
    key_id: z.string().nullable(),
    payout: z.looseObject({}),
  }),
  handle: async (_input, context) => ({
    body: await context.discovery.trustContract(),
  }),
})

/** GET /agent-tools.json: printed from the registry, the rails and the configuration. */
export const agentTools = operation({
  id: 'agent-tools',
  summary: 'Everything that an agent can call here: tools, operations, rails, prices and payment.',
  http: {
    method: 'GET',
    path: '/agent-tools.json',
    aliases: ['/api/agent-tools'],
    host: 'base',
    cacheable: true,
  },
  access: 'public',
  output: AgentTools.extend({
    rails: agentPricing.output.shape.rails,
    payment: z.strictObject({
      posture: z.array(z.enum(['reference_based', 'provider_webhooks'])),
      paths: z.array(z.enum(paymentPaths)),
      methods: z.array(Method),
    }),
  }).meta({ id: 'AgentTools' }),
  handle: async (_input, { discovery, quotes, payments }) => ({
    body: {
      ...discovery.agentTools(),
      rails: (await quotes.listPrices({ surface: 'all' })).rails,
      payment: {
        posture: [...payments.posture],
        paths: [...paymentPaths],
        methods: [...payments.methods],
      },
    },
  }),
})
