import { expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { draftsOf } from '#domain/drafts/make-drafts.ts'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import type { Drafts, ModelOutput } from '#domain/rails/drafts/draft.ts'
import type { Rail } from '#domain/rails/rail.ts'
import { packageTexts } from '#domain/runs/package-files.ts'
import type { ReplayFile } from '#domain/runs/replay-package.ts'
import { COMPLETION_TYP, completionClaims, type MadePackage } from '#domain/runs/return-package.ts'
import { verifyReplayFile } from '#domain/verification/replay-package.ts'
import { openPackageParts, verifyPackageView } from '#domain/verification/return-package.ts'
import { settle } from '#domain/verification/signed.ts'
import { returnPackageView } from '../../../../activities/runs/isolation/return-package-zip.ts'
import {
  type FinishedDrafts,
  finishedPackage,
  finishedTask,
  keySet,
  signedBy,
  signedFile,
} from '../../../support/finished-task.ts'
import { answered, quoting, sentencesText } from '../../../support/model-answers.ts'
import { provenAgain } from '../../../support/proven-again.ts'
import { verifies } from '../../../verifies.ts'

const rail = diligenceops as Rail
const input = diligenceops.sandboxInput
const work = diligenceops.work(input)
const planned = diligenceops.drafts?.(input, work) ?? []
const keys = keySet()
const receipts = { settlement_receipt_id: null, usage_receipt_id: null }

/** The sandbox input leaves the question about escrow open; the model quotes one of its passages and adds a sentence of its own. */
function drafted(): FinishedDrafts {
  const outputs = planned.map((one) => {
    const [passage] = one.passages
    if (passage === undefined) throw new Error('a plan offers passages')
    const own = { text: 'Escrow is offered to <b>all</b>.', citations: [] }
    return answered(one, sentencesText(quoting(passage), own))
  })
  return { drafts: draftsOf({ rail, input, work }, outputs) as Drafts, outputs }
}

const verdictOf = (files: Record<string, string>, completionSignature: string) => {
  const { 'completion.jws': _, ...parts } = files
  return settle(openPackageParts({ files: parts, completionSignature }, keys))
}
const replayed = (file: ReplayFile) => {
  const { verdict, checks } = verifyReplayFile(file, { keys })
  return { verdict, bad: checks.filter(({ ok }) => !ok).map(({ check }) => check) }
}

verifies(
  ['model.apart', 'model.replay'],
  'a package with drafts differs from one without only by the drafts',
  async () => {
    const plain = await finishedPackage(rail)
    const { made, signature } = await finishedPackage(rail, input, drafted())
    const { result, findings, gaps } = made
    expect({ result, findings, gaps }).toEqual(work)
    const before = packageTexts(plain.made, plain.signature)
    const texts = packageTexts(made, signature)
    const changed = Object.keys(texts).filter((name) => texts[name] !== before[name])
    expect(changed.toSorted()).toEqual([
      'README.md',
      'completion.jws',
      'drafts.json',
      'manifest.json',
      'report.html',
    ])
    expect(plain.made).not.toHaveProperty('drafts')
    expect(plain.made).not.toHaveProperty('drafts_sha256')
    expect(texts['report.html']).toContain('<h2>Drafts by a model</h2>')
    expect(texts['report.html']).not.toContain('<b>')
    expect(made.drafts?.drafts.map(({ sentences }) => sentences.length)).toEqual([1])
    expect(made.drafts?.findings.map(({ code }) => code)).toEqual(['sentence_dropped'])
  },
)

verifies(
  'model.replay',
  'zip, JSON and replay prove a package with drafts and refuse a change',
  async () => {
    const given = drafted()
    const { made, signature } = await finishedPackage(rail, input, given)
    const texts = packageTexts(made, signature)
    expect(verdictOf(texts, signature)).toMatchObject({ verdict: 'valid', reasons: [] })
    const view = JSON.parse(JSON.stringify(returnPackageView(made, signature, receipts)))
    expect(verifyPackageView(view, keys).verdict).toBe('proven')

    const { 'drafts.json': text = '', ...fewer } = texts
    const forged = { ...texts, 'drafts.json': text.replace('test-model', 'best-model') }
    expect(verdictOf(forged, signature).reasons).toEqual(['file_changed'])
    expect(verdictOf(fewer, signature).verdict).toBe('invalid')
    const { drafts: _, ...without } = view
    expect(verifyPackageView(without, keys).verdict).toBe('refused')
    expect(verifyPackageView({ ...view, drafts: undefined }, keys).verdict).toBe('refused')

    const file = await finishedTask(rail, input, given)
    expect(replayed(file)).toEqual({ verdict: 'proven', bad: [] })
  },
)

/** A replay file whose documents are changed, signed by the service as if it had made it. */
async function withDocuments(
  given: FinishedDrafts,
  documentsOf: (outputs: readonly ModelOutput[]) => readonly ModelOutput[],
): Promise<ReplayFile> {
  const { replay_package: made } = await finishedTask(rail, input, given)
  const { replay_id: _, code_version: __, inputs: ___, package_sha256: ____, ...parts } = made
  const digests = new Set(given.outputs.map((output) => digestOf(output)))
  const others = parts.documents.filter(({ sha256 }) => !digests.has(sha256))
  const changed = documentsOf(given.outputs).map((content) => ({
    sha256: digestOf(content),
    content,
  }))
  return signedFile({ ...parts, documents: [...others, ...changed] })
}

verifies('model.replay', 'a replay refuses a missing, another or a surplus draft', async () => {
  const given = drafted()
  expect(replayed(await withDocuments(given, () => [])).bad).toEqual(['replay'])
  const other = (outputs: readonly ModelOutput[]) =>
    outputs.map((output) => ({ ...output, text: '{"sentences":[]}' }))
  expect(replayed(await withDocuments(given, other)).bad).toEqual(['replay'])

  // The service signs a sentence that no stored output has.
  const [draft] = given.drafts.drafts
  const [sentence] = draft?.sentences ?? []
  const invented = {
    ...given.drafts,
    drafts: [{ about: 'ESC-1', sentences: [{ ...sentence, text: 'Escrow is offered.' }] }],
  }
  const file = await finishedTask(rail, input, { ...given, drafts: invented as Drafts })
  expect(replayed(file).bad).toEqual(['replay'])
})

verifies(
  'model.replay',
  'drafts that the signed claims do not name are refused in zip and JSON',
  async () => {
    const { made } = await finishedPackage(rail, input, drafted())
    const { drafts_sha256: _, ...unnamed } = made
    const again = provenAgain(unnamed as MadePackage, {})
    const claims = completionClaims(again, {
      issuer: 'https://rails.example',
      environment: 'local',
      iat: 1,
    })
    const signature = await signedBy(COMPLETION_TYP, claims)
    const verdicts = [
      verdictOf(packageTexts(again, signature), signature).verdict,
      verifyPackageView(returnPackageView(again, signature, receipts), keys).verdict,
    ]
    expect(again.drafts).toEqual(made.drafts)
    expect(verdicts).toEqual(['invalid', 'refused'])
  },
)
