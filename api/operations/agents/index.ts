import {
  agentRegister,
  agentRegisterRead,
  agentStatus,
  handshake,
  handshakeRead,
} from './registration.ts'
import {
  agentRegistryList,
  agentRegistryProfile,
  credentialEnforce,
  credentialPolicyRead,
} from './registry.ts'

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
