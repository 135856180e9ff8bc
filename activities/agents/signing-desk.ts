import type { KeyRings } from '../keys/key-ring.ts'
import type { KeyActor } from './credential-acts.ts'
import type { AgentDeps, Issuing } from './deps.ts'
import { rotateKeys } from './key-rotation.ts'
import { readKeyVersions } from './key-versions.ts'
import { signStatement, verifyStatement } from './statements.ts'

export type Signing = ReturnType<typeof openSigning>

/** Keys of agents and what is stated under them, as operations see them. */
export function openSigning(deps: Issuing & Pick<AgentDeps, 'db'> & { keys: KeyRings }) {
  return {
    versions: (agentId?: string) => readKeyVersions(deps.db, agentId),
    rotate: (by: KeyActor, rotation: Parameters<typeof rotateKeys>[2], callId: string) =>
      rotateKeys(deps, by, rotation, callId),
    sign: (speaker: Parameters<typeof signStatement>[1], input: Parameters<typeof signStatement>[2], callId: string) =>
      signStatement(deps, speaker, input, callId),
    verify: (input: Parameters<typeof verifyStatement>[1]) => verifyStatement(deps, input),
  }
}
