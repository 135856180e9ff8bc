import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { CODE_VERSION } from '#domain/core/code-version.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { Asked, Ranking } from './ranking.ts'

type ScoutDeps = ReceiptIssuer & {
  db: Kysely<Database>
  ranking: Ranking
}

/** Who can do a task, among the services that may be proposed. */
export class ScoutService {
  private readonly deps: ScoutDeps

  constructor(deps: ScoutDeps) {
    this.deps = deps
  }

  /** The ranking, of which nothing is stored. */
  async rank(asked: Asked, network: ComputeNetwork) {
    const { ranked, excluded, missing, registry_size, registry_sha256 } = (
      await this.deps.ranking.rank(asked, network)
    ).result
    return { ranked, excluded, missing, registry_size, registry_sha256 }
  }

  /** The ranking with a receipt of kind `scout`, synthetic, over the task, the services considered and the result. */
  async run(asked: Asked, callId: string, network: ComputeNetwork) {
    const found = await this.rank(asked, network)
    const subject = `sct_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject, status: 200 }, async (tx) => {
      const facts = {
        input_sha256: digestOf(asked),
        registry_sha256: found.registry_sha256,
        registry_size: found.registry_size,
        result_sha256: digestOf(found),
        ranked: found.ranked.map(({ service_id, score }) => ({ service_id, score })),
        code_version: CODE_VERSION,
      }
      const about = { subject, kind: 'scout', usage: 'synthetic', facts }
      const jws = await issueReceipt(this.deps, tx, about)
      return { ...found, receipt: receiptView(jws) }
    })
  }
}
