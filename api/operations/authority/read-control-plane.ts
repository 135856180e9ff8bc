import { z } from 'zod'
import { authorityExamples } from '../../examples/authority.ts'
import { operation } from '../../operation.ts'
import { ControlPlane, contractOf } from './contract.ts'
import { authorityPath } from './shapes.ts'

/** POST /api/delegated-authority, mode `read_control_plane`. */
export const readControlPlane = operation({
  id: 'read-control-plane',
  summary: 'The contract of delegated authority with live counts.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  mode: 'read_control_plane',
  access: 'public',
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_control_plane') }),
  output: ControlPlane,
  example: authorityExamples['read-control-plane'],
  handle: async (_input, context) => ({
    body: { ...(await contractOf(context)), live: await context.mandates.live() },
  }),
})
