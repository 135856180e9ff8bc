import { digestOf } from '#domain/core/canonical-json.ts'
import { CODE_VERSION } from '#domain/core/code-version.ts'
import { diligenceopsInput } from '#domain/rails/diligenceops/index.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { insuranceRenewalInput, packetopsInput, profiles } from '#domain/rails/packetops/index.ts'
import { isCurrent, type RailKey, type Tier, type Work } from '#domain/rails/rail.ts'
import { type ComplianceSampleKey, complianceSampleKeys } from '#domain/runs/compliance-samples.ts'
import { buildReturnPackage } from '#domain/runs/package-files.ts'
import {
  COMPLETION_TYP,
  completionClaims,
  loopDigest,
  type ReturnPackage,
} from '#domain/runs/return-package.ts'
import { signCompact } from '../../../activities/keys/compact.ts'
import type { RailPool } from '../../../activities/runs/isolation/rail-pool.ts'
import { returnPackageView } from '../../../activities/runs/isolation/return-package-zip.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import type { Making, Sample, Samples } from '../receipts/sample.ts'

type Deps = Pick<TaskDeps, 'issuer' | 'environment'> & {
  baseUrl: string
  /** A pool with the small limits of public calls. */
  pool: Pick<RailPool, 'run'>
  samples: Samples
}
export type SamplePackage = Sample<{ return_package: ReturnPackage }>
type Asked = { fixtureId: string; rail: RailKey; tier: Tier; input: unknown }

const noReceipts = { settlement_receipt_id: null, usage_receipt_id: null }

/** The input of each sample, and how many sections or questions it covers. */
const complianceSamples: Readonly<
  Record<ComplianceSampleKey, { rail: RailKey; sections: number; input: unknown }>
> = {
  soc2_evidence_packet: {
    rail: 'packetops',
    sections: profiles.soc2_evidence_packet.length,
    input: packetopsInput,
  },
  vendor_security_questionnaire: {
    rail: 'diligenceops',
    sections: diligenceopsInput.questions.length,
    input: diligenceopsInput,
  },
  insurance_renewal_compliance_packet: {
    rail: 'packetops',
    sections: profiles.insurance_renewal_compliance_packet.length,
    input: insuranceRenewalInput,
  },
}

/** The work of rails on published inputs. */
export class SamplePackages {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** The samples of the rails that are sold, or of one, on their published inputs. */
  async page(
    { rail, tier }: { rail?: RailKey | undefined; tier: Tier },
    { offset, limit }: { offset: number; limit: number },
  ) {
    const asked = rail === undefined ? rails.filter(isCurrent) : [railOf(rail)]
    const items = []
    for (const { key, sandboxInput: input } of asked.slice(offset, offset + limit))
      items.push(
        await this.#once({ fixtureId: `return-package.${key}.${tier}`, rail: key, tier, input }),
      )
    return { items, offset, limit, total: asked.length }
  }

  /** What samples of compliance evidence there are, and where each is read under this path. */
  listCompliance(path: string) {
    return complianceSampleKeys.map((key) => {
      const { rail, sections } = complianceSamples[key]
      const url = `${this.deps.baseUrl}${path}?sample=${key}`
      return { key, rail, section_count: sections, url }
    })
  }

  /** A sample of compliance evidence and its input. */
  async ofCompliance(key: ComplianceSampleKey): Promise<SamplePackage & { input: unknown }> {
    const { rail, input } = complianceSamples[key]
    const fixtureId = `compliance-evidence.${key}`
    return { ...(await this.#once({ fixtureId, rail, tier: 'pro', input })), input }
  }

  #once(asked: Asked): Promise<SamplePackage> {
    return this.deps.samples.once(asked.fixtureId, (making) => this.#make(asked, making))
  }

  async #make(
    { fixtureId, rail, tier, input }: Asked,
    { key, now, sign }: Making,
  ): Promise<SamplePackage> {
    const { pool, issuer, environment } = this.deps
    const job = { kind: 'work', rail, tier, value: input, lists: {} } as const
    const work = (await pool.run(job)) as Work<unknown>
    const identity = { type: 'service.sample-run.v1', fixture_id: fixtureId, version: CODE_VERSION }
    const run = {
      run_id: `run_${digestOf(identity)}`,
      rail,
      tier,
      usage: 'synthetic',
      partial: work.gaps.some(({ kind }) => kind === 'needed'),
      input_sha256: digestOf(input),
      // No step of a loop was taken.
      loop_sha256: loopDigest([]),
    } as const
    const made = buildReturnPackage(run, work)
    const payload = completionClaims(made, { issuer, environment, iat: now })
    const jws = await signCompact(key, { typ: COMPLETION_TYP, payload })
    return sign({
      shown: { return_package: returnPackageView(made, jws, noReceipts) },
      claims: { return_package_id: made.return_package_id, proof_hash: made.proof_hash },
    })
  }
}
