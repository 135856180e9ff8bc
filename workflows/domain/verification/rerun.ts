import { digestOf, sha256Hex } from '../core/canonical-json.ts'
import { CODE_VERSION } from '../core/code-version.ts'
import { draftsOf } from '../drafts/make-drafts.ts'
import { ModelOutput } from '../rails/drafts/draft.ts'
import { railOf } from '../rails/index.ts'
import { documentsOf, Extraction, textOf, withTexts } from '../rails/input/documents.ts'
import { faultsText } from '../rails/input/input-faults.ts'
import { readInput, workOn } from '../rails/input/read-input.ts'
import { type Uploaded, uploadsOf } from '../rails/input/uploads.ts'
import type { Work } from '../rails/rail.ts'
import { delivered } from '../rails/work/tiers.ts'
import { isKnownReport, manifestFor } from '../runs/package-files.ts'
import type { ReplayPackage } from '../runs/replay-package.ts'
import type { PackagedWork } from '../runs/return-package.ts'

type Outcome = { fault: string } | { holds: string }

/** What was done on the files of the uploads that an input names: the work, or why the rail refuses one of them. */
type DoneAgain = { input_sha256: string; done: Work<unknown> | string }
export type Given = { input?: unknown; again?: DoneAgain | undefined }

/** Does the work of the run's latest input again, and holds what comes out against the signed result, findings and gaps. */
export function rerun(made: ReplayPackage, given: Given): Outcome {
  const { rail: key, return_package: before } = made
  const latest = latestInput(made, given)
  if ('fault' in latest || 'holds' in latest) return latest
  const { input, input_sha256, uploads } = latest
  const rail = railOf(key)
  const read = readInput(rail, input, uploads)
  const faults = 'faults' in read ? read.faults : []
  const names = Object.values(uploads).map(({ sha256 }) => sha256)
  const extractions = extractionsIn(made)
  if ('fault' in extractions) return extractions
  const unread = documentsOf(rail, input).find(
    ({ sha256 }) => textOf(extractions.all, sha256) === undefined,
  )
  if (faults.length === 0 && unread !== undefined)
    return { fault: `the text of the upload ${unread.sha256} is not in the package` }
  const { again } = given
  if (faults.length === 0 && names.length > 0 && again?.input_sha256 !== input_sha256)
    return {
      fault: `the input names uploads, which are not in the package: give each as a file: ${names.join(', ')}`,
    }
  let done: Work<unknown> | string | undefined
  if (faults.length > 0) done = faultsText(faults)
  else if (names.length > 0) done = again?.done
  else done = workOn(rail, input, extractions.all)
  if (typeof done === 'object' && before !== null) done = delivered(rail, before.tier, done)
  if (typeof done === 'object') {
    const drafted = { rail, input: withTexts(rail, input, extractions.all), work: done }
    const drafts = before?.drafts_sha256 === undefined ? null : draftsOf(drafted, outputsIn(made))
    return compare(made, drafts === null ? done : { ...done, drafts })
  }
  if (before === null) return { holds: `${key} refuses the input` }
  return { fault: done ?? '' }
}

/** What was read from the files of an input, as the package holds it; a fault where a text is not what its digest says. */
export function extractionsIn({
  documents,
}: Pick<ReplayPackage, 'documents'>): { all: Extraction[] } | { fault: string } {
  const all = documents.flatMap(({ content }) => Extraction.safeParse(content).data ?? [])
  const changed = all.find(
    ({ text, text_sha256 }) => text !== null && sha256Hex(text) !== text_sha256,
  )
  return changed === undefined
    ? { all }
    : { fault: `the text of the upload ${changed.upload_sha256} was changed` }
}

/** What a model answered, as the package holds it; the drafts name each output by its digest. */
const outputsIn = ({ documents }: Pick<ReplayPackage, 'documents'>): ModelOutput[] =>
  documents.flatMap(({ content }) => ModelOutput.safeParse(content).data ?? [])

/** The input that the run's result is of, with the uploads that it names by list; or why there is nothing to do again. */
export function latestInput(
  { rail, ledger, inputs, documents, return_package: before }: ReplayPackage,
  given: Given,
): Outcome | { input: unknown; input_sha256: string; uploads: Record<string, Uploaded> } {
  const named = ledger
    .map(({ data }) => data['input_sha256'])
    .filter((sha256) => typeof sha256 === 'string')
  if (named.join() !== inputs.join())
    return { fault: 'the ledger names other inputs than the package' }
  const input_sha256 = named.at(-1)
  if (input_sha256 === undefined && before === null) return { holds: 'no work was begun' }
  if (input_sha256 === undefined) return { fault: 'the ledger names no input' }
  if (before !== null && before.input_sha256 !== input_sha256)
    return { fault: 'the result is of another input' }
  const input = given.input ?? documents.find(({ sha256 }) => sha256 === input_sha256)?.content
  if (input === undefined)
    return { fault: `the input ${input_sha256} is not in the package: give it as a file` }
  if (digestOf(input) !== input_sha256)
    return { fault: `the input that was given is not ${input_sha256}` }
  return { input, input_sha256, uploads: uploadsOf(railOf(rail), input) }
}

function compare(
  { rail, code_version, return_package: before }: ReplayPackage,
  work: PackagedWork,
): Outcome {
  const now = digestOf(work.result)
  if (before === null)
    return { holds: `there is no result to compare with; the work done now gives ${now}` }
  const by =
    code_version === CODE_VERSION
      ? ''
      : `, made by version ${code_version} and done again by ${CODE_VERSION}`
  if (now !== before.result_sha256) return { fault: `${rail} gives the result ${now}${by}` }
  if (!isKnownReport(before))
    return {
      fault: `its report is of version ${before.report_version}, which this program does not make`,
    }
  const { drafts_sha256 } = before
  if (drafts_sha256 !== undefined && drafts_sha256 !== digestOf(work.drafts ?? null))
    return { fault: `the stored outputs of the model give other drafts than were signed${by}` }
  if (digestOf(manifestFor(before, work)) !== before.manifest_sha256)
    return { fault: `${rail} gives other findings, gaps or another report${by}` }
  return { holds: `${rail} gives the result ${now} again${by}` }
}
