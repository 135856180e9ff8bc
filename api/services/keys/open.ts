import type { Config } from '../../../activities/config/config.ts'
import { openKeyRings } from '../../../activities/signer/open.ts'
import { notifyKeyRotation } from '../../../temporal/key-rotations.ts'
import { type KeyDeps, KeyService } from './keys.ts'

type Opened = Omit<KeyDeps, 'load' | 'publishSeconds' | 'notifyRotation'> & {
  config: Config
  client: Parameters<typeof notifyKeyRotation>[0]
}

/** What operators do to the signing keys, with the signer and the workflows of rotations. */
export const openKeyService = ({ config, client, ...deps }: Opened): KeyService =>
  new KeyService({
    ...deps,
    load: () => openKeyRings(config),
    publishSeconds: config.KEY_PUBLISH_S,
    notifyRotation: (ring) => notifyKeyRotation(client, ring),
  })
