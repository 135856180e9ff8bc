import type { Adapters } from '../../adapters.ts'
import { HandshakeService } from './handshake.ts'
import { identitiesOf } from './identity.ts'
import { ProfileService } from './profiles.ts'
import { RegistrationService } from './registration.ts'
import { SigningService } from './signing.ts'

/** Agents: their registration, trust, profiles and signing keys. */
export const openAgents = (adapters: Adapters) => ({
  registrations: new RegistrationService({
    ...adapters,
    identities: identitiesOf(adapters.config, adapters),
  }),
  profiles: new ProfileService(adapters),
  handshakes: new HandshakeService(adapters),
  signing: new SigningService(adapters),
})
