import { credentialEnforce } from './credential-enforce.ts'
import { handshake } from './handshake.ts'
import { handshakeRead } from './handshake-read.ts'
import { agentRegister } from './register.ts'
import { agentRegisterRead } from './register-read.ts'
import { agentStatus } from './status.ts'

/** Registration of agents, their access keys, and the check of a credential. */
export const agents = [
  agentRegisterRead,
  agentRegister,
  agentStatus,
  handshakeRead,
  handshake,
  credentialEnforce,
] as const
