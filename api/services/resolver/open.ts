import type { CallbackHosts } from '../../../activities/callbacks/hosts.ts'
import { createOutgoing } from '../../../activities/http/outgoing.ts'
import type { RailPool } from '../../../activities/runs/isolation/rail-pool.ts'
import { pausedRails } from '../../../activities/store/operators/controls.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { INTERFACE_VERSION } from '../../common-headers.ts'
import { Candidates } from './candidates.ts'
import { Ranking } from './ranking.ts'
import { OutcomeRecords, type RecordDeps, UseRecords } from './records.ts'
import { type FreeTool, type Served, ServiceResolver } from './resolver.ts'
import { ScoutService } from './scout.ts'

type Adapters = {
  publicPool: RailPool
  changes: Changes
  tokens: RecordDeps['tokens']
  receiptIssuer: Omit<RecordDeps, 'tokens'>
  taskDeps: { callbackHosts: Pick<CallbackHosts, 'ownHosts'> }
}

/** The resolver and the scout over the services of others and these free tools. */
export function openResolver<Call extends Served>(
  { publicPool, changes, tokens, receiptIssuer, taskDeps }: Adapters,
  tools: readonly FreeTool<Call>[],
) {
  const records = { ...receiptIssuer, tokens }
  const { db } = records
  const { ownHosts } = taskDeps.callbackHosts
  const listed = tools.map(({ service }) => service)
  const ranking = new Ranking({ db, pool: publicPool, tools: listed })
  const send = createOutgoing({ ownHosts, exempt: [] })
  return {
    resolver: new ServiceResolver({
      version: INTERFACE_VERSION,
      tools,
      ranking,
      candidates: new Candidates({ db, changes, send, ownHosts }),
      uses: new UseRecords(records),
      outcomes: new OutcomeRecords(records),
      paused: () => pausedRails(db),
    }),
    scout: new ScoutService({ ...records, ranking }),
  }
}
