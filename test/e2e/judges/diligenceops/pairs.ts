import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A question to one document; `answer` is the sentence that answers it, null where none does. */
export type Pair = {
  document: { id: string; title: string; text: string }
  domain: string
  language: string
  question: string
  answer: string | null
  verdict: string
}

/** Reads a half of the set: documents that begin with `## id | domain | language | title`, each followed by its questions. */
export function pairsOf(half: 'frozen' | 'tuning'): Pair[] {
  const file = readFileSync(join(import.meta.dirname, `${half}.txt`), 'utf8')
  return file
    .split(/^## /m)
    .slice(1)
    .flatMap((block) => {
      const [head = '', ...lines] = block.trimEnd().split('\n')
      const [id = '', domain = '', language = '', title = ''] = head.split(' | ')
      const sentences = lines.filter((line) => !line.startsWith('? '))
      const document = { id, title, text: sentences.join('\n') }
      return lines
        .filter((line) => line.startsWith('? '))
        .map((line) => {
          const [, verdict = '', at, question = ''] =
            /^\? (yes|no|partial|value|-)(?: (\d+))? \| (.+)$/.exec(line) ?? []
          const answer = at === undefined ? null : (sentences[Number(at) - 1] ?? '')
          return { document, domain, language, question, answer, verdict }
        })
    })
}
