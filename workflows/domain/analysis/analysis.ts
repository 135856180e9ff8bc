import type { Analysis, Finding } from '../commerce/analysis-schema.ts'
import { digestOf } from '../core/canonical-json.ts'
import type { DiligenceResult } from '../rails/diligenceops/index.ts'
import type { Drafts } from '../rails/drafts/draft.ts'
import type { PacketResult } from '../rails/packetops/index.ts'
import type { Citation, Work } from '../rails/rail.ts'
import { type AnalysisInput, judgedClaims } from './input.ts'

type Analysed = {
  analysisId: string
  input: AnalysisInput
  usage: Analysis['usage']
  packet: Work<PacketResult>
  /** Null where nothing was asked. */
  answers: Work<DiligenceResult> | null
  /** What a model wrote, with every quote checked; null where none was asked. */
  drafts: Drafts | null
}

/** The analysis of finished work: the same input, work and drafts give the same analysis. */
export function analysisOf({
  analysisId,
  input,
  usage,
  packet,
  answers,
  drafts,
}: Analysed): Analysis {
  const asModel = drafts?.calls.find(({ outcome }) => outcome === 'answered')?.model ?? null
  const noted = noteIn(input)
  const findings = [...packet.findings, ...(answers?.findings ?? [])].map(
    ({ code, detail, citations }) =>
      noted({ finding: code, severity: 'warning', source: 'rules', detail }, citations[0]),
  )
  const answered = (answers?.result.answers ?? []).flatMap(({ answer, citations: [cited] }) =>
    answer === null
      ? []
      : noted({ finding: 'answered', severity: 'info', source: 'rules', detail: answer }, cited),
  )
  const written = (drafts?.drafts ?? []).flatMap(({ sentences }) =>
    sentences.map(({ text, citations }) =>
      noted({ finding: 'written', severity: 'info', source: 'model', detail: text }, citations[0]),
    ),
  )
  const dropped = (drafts?.findings ?? []).map(({ code, detail }) =>
    noted({ finding: code, severity: 'info', source: 'model', detail }, undefined),
  )
  const { section_coverage, readiness } = packet.result
  return {
    analysis_id: analysisId,
    analysis_mode: asModel === null ? 'fallback' : 'model',
    model: asModel,
    findings: [...findings, ...answered, ...written, ...dropped],
    coverage: {
      sections: section_coverage.map(({ section, required, state }) => ({
        section,
        required,
        state,
      })),
      readiness_score: readiness.score,
      questions: input.questions.length,
      answered: answers?.result.coverage.answered ?? 0,
    },
    gaps: [...packet.gaps, ...(answers?.gaps ?? [])].map(({ code, kind, detail }) => ({
      gap: code,
      kind,
      detail,
    })),
    unsupported_claims: judgedClaims(input)
      .filter(({ state }) => state !== 'bound')
      .map(({ claim, artifact, state }) => ({ claim, item: artifact, reason: state })),
    as_of: input.packet.as_of ?? null,
    input_sha256: digestOf(input),
    usage,
  }
}

/** Places a finding in the input of the analysis, whose rails have the same items under other names. */
const noteIn =
  ({ packet }: AnalysisInput) =>
  (said: Omit<Finding, 'item' | 'citation'>, cited: Citation | undefined): Finding => {
    const [, at, rest = ''] = /^\/(?:items|evidence)\/(\d+)(.*)$/.exec(cited?.pointer ?? '') ?? []
    const item = at === undefined ? null : (packet.items[Number(at)]?.name ?? null)
    if (cited === undefined) return { ...said, item, citation: null }
    const inPacket = cited.pointer.replace(/^\/(?!questions)/, '/packet/')
    const pointer =
      at === undefined ? inPacket : `/packet/items/${at}${rest.replace(/^\/content/, '/text')}`
    return { ...said, item, citation: { pointer, quote: cited.quote ?? null } }
  }
