import { ringNames } from '#domain/keys/rotation.ts'
import { listRotations } from '../../../activities/store/keys/key-rotations.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { keyRotationWorkflowId } from '../../../temporal/workflow-starts.ts'
import { keyView, rotationView } from '../keys/views.ts'
import { type TemporalUi, temporalUrl } from '../recovery/temporal-url.ts'

const KEYS_SHOWN = 20

/** The rings of signing keys as operators look at them; unlike the list of keys it leaves no receipt. */
export class KeyRingService {
  private readonly deps: { db: Tx; config: TemporalUi }

  constructor(deps: { db: Tx; config: TemporalUi }) {
    this.deps = deps
  }

  /** Each ring with its newest keys, and with its rotation that is open or was done last. */
  async read() {
    const { db, config } = this.deps
    const [keys, rotations] = await Promise.all([listPublicKeys(db), listRotations(db)])
    return ringNames.map((ring) => {
      const rotation = rotations.find((one) => one.ring === ring)
      return {
        ring,
        keys: keys
          .filter((key) => key.ring === ring)
          .map(keyView)
          .toReversed()
          .slice(0, KEYS_SHOWN),
        rotation:
          rotation === undefined
            ? null
            : {
                ...rotationView(rotation),
                temporal_url: temporalUrl(config, keyRotationWorkflowId(ring)),
              },
      }
    })
  }
}
