import { credentialEnforce } from './credential-enforce.ts'
import { credentialPolicyRead } from './credential-policy-read.ts'
import { handshake } from './handshake.ts'
import { handshakeRead } from './handshake-read.ts'
import { agentRegister } from './register.ts'
import { agentRegisterRead } from './register-read.ts'
import { agentRegistryList } from './registry-list.ts'
import { agentRegistryProfile } from './registry-profile.ts'
import { agentStatus } from './status.ts'

/** Registration of agents, their access keys, the check of a credential, and the public registry. */
export const agents = [
  agentRegisterRead,
  agentRegister,
  agentStatus,
  handshakeRead,
  handshake,
  credentialPolicyRead,
  credentialEnforce,
  agentRegistryList,
  agentRegistryProfile,
] as const
