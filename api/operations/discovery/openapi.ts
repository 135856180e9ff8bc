import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /openapi.json: printed from the registry of operations. */
export const openapi = operation({
  id: 'openapi',
  summary: 'This document: every operation of both hosts as OpenAPI 3.1.',
  http: { method: 'GET', path: '/openapi.json', host: 'base', cacheable: true },
  access: 'public',
  output: z.looseObject({ openapi: z.string(), info: z.unknown(), paths: z.unknown() }),
  handle: async (_input, context) => ({ body: await context.discovery.openapi() }),
})
