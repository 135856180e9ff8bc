import { createOutgoing } from '../../../activities/http/outgoing.ts'
import { pausedRails } from '../../../activities/store/operators/controls.ts'
import type { Adapters } from '../../adapters.ts'
import { INTERFACE_VERSION } from '../../common-headers.ts'
import { Candidates } from './candidates.ts'
import { Ranking } from './ranking.ts'
import { OutcomeRecords, UseRecords } from './records.ts'
import { type FreeTool, type Served, ServiceResolver } from './resolver.ts'
import { ScoutService } from './scout.ts'

/** The resolver and the scout over the services of others and these free tools. */
export function openResolver<Call extends Served>(
  adapters: Adapters,
  tools: readonly FreeTool<Call>[],
) {
  const { db, changes, pool, callbackHosts } = adapters
  const { ownHosts } = callbackHosts
  const ranking = new Ranking({ db, pool, tools: tools.map(({ service }) => service) })
  const send = createOutgoing({ ownHosts, exempt: [] })
  return {
    resolver: new ServiceResolver({
      version: INTERFACE_VERSION,
      tools,
      ranking,
      candidates: new Candidates({ db, changes, send, ownHosts }),
      uses: new UseRecords(adapters),
      outcomes: new OutcomeRecords(adapters),
      paused: () => pausedRails(db),
    }),
    scout: new ScoutService({ ...adapters, ranking }),
  }
}
