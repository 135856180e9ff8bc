import { credentialEnforce } from './credential-enforce.ts'
import { handshake } from './handshake.ts'
import { handshakeRead } from './handshake-read.ts'
import { agentRegister } from './register.ts'
import { agentRegisterRead } from './register-read.ts'
import { agentStatus } from './status.ts'

/** How an agent comes in, gets its access key, and asks what that is good for (endpoints §9, §10, §16). */
export const agents = [
  agentRegisterRead,
  agentRegister,
  agentStatus,
  handshakeRead,
  handshake,
  credentialEnforce,
] as const
