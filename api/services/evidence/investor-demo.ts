import { z } from 'zod'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import type { AnalysisInput } from '#domain/analysis/input.ts'
import type { CommercePacket } from '#domain/commerce/packet.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { SERVICE_CHAIN } from '#domain/credit/usage-event.ts'
import { screenFreeText } from '../../../activities/screening/free-text.ts'
import { findCommerceProof } from '../../../activities/store/commerce/proofs.ts'
import { lengthOfChain } from '../../../activities/store/credit/usage-events.ts'
import { findCheckpoint } from '../../../activities/store/log/checkpoints.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { Making, Samples } from '../receipts/sample.ts'
import type { Asking, EvidenceAnalyses } from './analyses.ts'
import type { ProofRelays } from './relays.ts'

type Deps = {
  readonly db: Tx
  readonly analyses: Pick<EvidenceAnalyses, 'sampleProof'>
  readonly relays: Pick<ProofRelays, 'sample' | 'relayAs'>
  readonly samples: Samples
}

type Added = {
  verification_packet: CommercePacket
  step_timings: { step: 'free_proof' | 'proof_relay'; ms: number }[]
}
type DemoAsked<More> = {
  /** The whole body. */
  sent: Record<string, unknown>
  input: AnalysisInput | undefined
  /** What the answer has of the packet of the proof, and of how long the steps took. */
  more: (added: Added) => More
}

/** A tour from a packet to its proof, its ledger entry and its relay: trials alone, and no model is called. */
export class InvestorDemo {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** The sample, with how much the ledger and the log hold now. */
  async describe() {
    const sample = await this.deps.samples.once('investor-demo', (making) => this.#make(making))
    return { ...sample, live: await this.#live() }
  }

  async #make({ sign }: Making) {
    const { analyses, relays } = this.deps
    const [{ proof, passport, verification_packet }, relayed] = await Promise.all([
      analyses.sampleProof(),
      relays.sample(),
    ])
    const { proof_relay, ledger_entry } = relayed
    const { state: relay_state } = proof_relay
    return sign({
      shown: {
        free_proof: { proof_id: null, ...proof, passport },
        analysis_proof_relay: proof_relay,
        ledger: [ledger_entry],
        relay_state,
        verification_packet,
      },
      claims: {
        free_proof_sha256: digestOf(proof),
        relay_id: proof_relay.relay_id,
        packet_sha256: digestOf(verification_packet),
      },
    })
  }

  /** Proves and relays what the caller gives; the digest of all that was sent stands in the receipt of the relay. */
  run<More extends object>(
    asking: Asking,
    { sent, input = analysisFixture, more }: DemoAsked<More>,
  ) {
    const context_sha256 = digestOf(sent)
    const unread_members = unreadOf(sent)
    const begun = performance.now()
    let proved = begun
    const fresh = { ...asking, input, force_fallback: true, usage: 'synthetic' as const }
    return this.deps.relays.relayAs(
      { ...asking, fresh },
      {
        facts: () => {
          proved = performance.now()
          return { context_sha256 }
        },
        shown: async (tx, made) => {
          const { proof_id, receipt, run_ledger, proof_relay } = made
          const proof = await findCommerceProof(tx, proof_id)
          if (proof === undefined) throw new Error(`the proof ${proof_id} is missing`)
          const { decision, packet: verification_packet } = proof
          const free_proof = {
            proof_id,
            analysis: made.analysis_result,
            decision,
            passport: made.receipt_passport,
          }
          const step_timings = [
            { step: 'free_proof' as const, ms: Math.round(proved - begun) },
            { step: 'proof_relay' as const, ms: Math.round(performance.now() - proved) },
          ]
          return {
            free_proof,
            analysis_proof_relay: proof_relay,
            ledger: [run_ledger],
            receipt,
            relay_state: made.retry_handoff_state,
            context_sha256,
            unread_members,
            ...more({ verification_packet, step_timings }),
          }
        },
      },
    )
  }

  /** Counts of all callers together, each read from the last entry of a chain. */
  async #live() {
    const { db } = this.deps
    const [ledger_events, checkpoint] = await Promise.all([
      lengthOfChain(db, SERVICE_CHAIN),
      findCheckpoint(db),
    ])
    return { ledger_events, logged_receipts: checkpoint?.size ?? 0 }
  }
}

const NAMES_MAX = 50
const FreeNames = z.record(z.string(), z.null()).meta({ 'x-free-text': true })

/** The members that the tour does not read, which their sender may have misspelt; a name may be no secret. */
function unreadOf({ idempotency_key: _key, ...sent }: Record<string, unknown>): string[] {
  const read = sent['packet'] === undefined ? 'evidence' : 'packet'
  const names = Object.keys(sent).filter((name) => name !== read)
  screenFreeText(FreeNames, Object.fromEntries(names.map((name) => [name, null])))
  return names.slice(0, NAMES_MAX).map((name) => name.slice(0, 64))
}
