import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import type { AgentDeps, Issuing } from './deps.ts'
import { type RotationRequest, rotateKeys } from './key-rotation.ts'
import { readKeyVersions } from './key-versions.ts'
import { type Content, type StatementCaller, signStatement, verifyStatement } from './statements.ts'

type Deps = Issuing & Pick<AgentDeps, 'db'> & { keys: KeyRings }

/** Signing keys of agents and the statements signed with them. */
export class SigningService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  versions(agentId?: string) {
    return readKeyVersions(this.deps.db, agentId)
  }

  async rotate(request: RotationRequest, callId: string): Promise<void> {
    const answer = { callId, subject: request.agentId, status: 201 }
    await answerOnce(this.deps, answer, (tx) => rotateKeys(this.deps, tx, request))
  }

  sign(
    caller: StatementCaller,
    statement: Content & { context?: string | undefined },
    callId: string,
  ) {
    return signStatement(this.deps, { caller, callId, ...statement })
  }

  verify(statement: Content & { jws: string; version?: number | undefined }) {
    return verifyStatement(this.deps, statement)
  }
}
