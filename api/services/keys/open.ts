import { openKeyRings } from '../../../activities/signer/open.ts'
import { notifyKeyRotation } from '../../../temporal/workflow-starts.ts'
import type { Adapters } from '../../adapters.ts'
import { KeyService } from './keys.ts'

/** What operators do to the signing keys, with the signer and the workflows of rotations. */
export function openKeys(adapters: Adapters) {
  const { config, client } = adapters
  return {
    keys: new KeyService({
      ...adapters,
      load: () => openKeyRings(config),
      publishSeconds: config.KEY_PUBLISH_S,
      notifyRotation: (ring) => notifyKeyRotation(client, ring),
    }),
  }
}
