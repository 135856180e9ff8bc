import type { Drafts as Drafted, DraftSentence } from '#domain/rails/drafts/draft.ts'
import { Foreign } from './basics.tsx'
import { Json } from './json.tsx'

/** What a model proposed for open questions: the label, each sentence with its quotes, and what was dropped. All texts stay texts. */
export function Drafts({ drafted, questions }: { drafted: Drafted; questions: Questions }) {
  const { notice, drafts, findings, calls } = drafted
  const models = [...new Set(calls.flatMap(({ model }) => model ?? []))]
  return (
    <>
      <p role="note" className="mt-0 mb-3 rounded-md border border-warn p-3 text-warn">
        {notice}
        {models.length > 0 && (
          <>
            {' '}
            Model: <Foreign text={models.join(', ')} />.
          </>
        )}
      </p>
      {drafts.length === 0 && <p className="m-0">No sentence of the model is kept.</p>}
      <ol className="m-0 list-none space-y-4 p-0">
        {drafts.map(({ about, sentences }) => (
          <li key={about}>
            <h3 className="m-0 text-sm font-semibold">
              <Foreign text={questions.get(about) ?? about} />
            </h3>
            <ul className="mt-1 mb-0 list-none space-y-2 p-0">
              {sentences.map((sentence, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
                <Sentence key={index} sentence={sentence} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {findings.length > 0 && (
        <>
          <h3 className="mt-4 mb-1 text-sm font-semibold">What the drafts lack</h3>
          <Json value={findings} />
        </>
      )}
    </>
  )
}

/** The texts of questions by their ids. */
export type Questions = ReadonlyMap<string, string>

/** The questions of an input; empty where it is not shown whole. */
export function questionsOf(input: unknown): Questions {
  const { questions = [] } = (input ?? {}) as { questions?: { id: string; text: string }[] }
  return new Map(questions.map(({ id, text }) => [id, text]))
}

const Sentence = ({ sentence: { text, citations } }: { sentence: DraftSentence }) => (
  <li className="border-l-2 border-line pl-3">
    <Foreign text={text} lines />
    <ul className="m-0 list-none p-0 text-sm">
      {citations.map(({ pointer, quote, place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
        <li key={index}>
          <q className="text-muted">
            <Foreign text={quote} />
          </q>{' '}
          <code className="font-mono text-xs">
            <Foreign text={pointer} />
          </code>
          {place !== undefined && (
            <>
              {', '}
              <Foreign text={place} />
            </>
          )}
        </li>
      ))}
    </ul>
  </li>
)
