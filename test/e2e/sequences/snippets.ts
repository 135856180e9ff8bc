/** Code to paste; `notRun` is the reason why the test does not. */
export type Snippet = {
  readonly language: string
  readonly code: string
  readonly notRun?: string | undefined
}

/** The programs of a document, in order. A comment `not run: reason` stands before what is not run. */
export function blocksOf(markdown: string): Snippet[] {
  const fences = /(?:^<!-- not run: (.+) -->\n\n)?^```(sh|ts|js|json|python|go)\n([\s\S]*?)^```$/gm
  return [...markdown.matchAll(fences)].map(([, notRun, language = '', code = '']) => ({
    language,
    code,
    notRun,
  }))
}

/** The snippets of a page with their names, in order; a name ends with the language where that is not the shell. */
export function snippetsOf(page: string): (Snippet & { name: string })[] {
  const boxes = /<div class="snippet"><pre[^>]* aria-label="([^"]+)"[^>]*><code>([\s\S]*?)<\/code>/g
  return [...page.matchAll(boxes)].map(([, name = '', code = '']) => ({
    name: unescaped(name),
    language: languages.find(([ending]) => name.endsWith(ending))?.[1] ?? 'sh',
    code: unescaped(code),
  }))
}

/** The identity of a snippet: its text without surrounding space. */
export const codeOf = (code: string): string => code.trim()

const languages: readonly (readonly [ending: string, language: string])[] = [
  ['TypeScript', 'ts'],
  ['Python', 'python'],
]
const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
