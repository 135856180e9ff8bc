import type { CredentialOfAgent } from '../../activities/store/agents/agent-credentials.ts'
import type { Caller } from '../context.ts'
import { denialOf } from './credential-standing.ts'

/** The access key behind a call, also where its operation needs none; one that the operation only examines counts where it is good. */
export function goodKeyOf(caller: Caller): CredentialOfAgent | undefined {
  if (caller.kind === 'agent') return caller.credential
  if (caller.kind !== 'public') return undefined
  const { credential, presented } = caller
  if (presented === undefined || !('credential' in presented)) return credential
  return denialOf(presented.credential) === undefined ? presented.credential : undefined
}
