import { z } from 'zod'
import { operation } from '../../operation.ts'
import { ControlPlane, contractOf } from './contract.ts'
import { authorityPath } from './shapes.ts'

/** POST /api/delegated-authority, mode `read_control_plane`. */
export const readControlPlane = operation({
  id: 'read-control-plane',
  summary: 'The contract of delegated authority with live counts.',
  http: { method: 'POST', path: authorityPath, host: 'base' },
  access: 'public',
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_control_plane') }),
  output: ControlPlane,
  handle: async (_input, context) => ({
    body: { ...(await contractOf(context)), live: await context.mandates.live() },
  }),
})
