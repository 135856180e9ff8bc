import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Words that engineers in this field do not use this way, and what to write instead. */
const inText: [RegExp, string][] = [
  [/\bdesks?\b/i, 'service'],
  [/\broads?\b/i, 'pipeline'],
  [/\bturnstiles?\b/i, 'keyed queue'],
  [/\b(takes?|taken|took|taking) (a|its|the|their) turn\b/i, 'claim'],
  [/\blanes?\b/i, 'queue'],
  [/\bbesides?\b/i, 'next to, and'],
  [/\bsurroundings\b/i, 'constraints'],
  [/\bfloors?\b/i, 'minimum'],
  [/\b(told|tells?|telling)\b/i, 'notify, say, show'],
  [/\b(whoever|whomever|whichever way)\b/i, 'the one that'],
  [/\b(nobody|somebody|anybody)\b/i, 'no caller, another'],
  [/\b(is|are|was|were|be) had\b/i, 'exists'],
  [/\b(goes|go|going|went) on\b/i, 'continue'],
  [/\banew\b/i, 'again'],
  [/\bfor ever\b/i, 'permanently'],
  [/\bby hand of\b/i, 'by'],
  [/\b(comes?|came) of\b/i, 'result'],
]
const inNames =
  /^(desks?|roads?|turnstile|lanes?|beside|surroundings|told|tell|tells|whoever|nobody|somebody|anybody|anew)$/i
/** Names on the wire, of libraries, or of this test. */
const knownNames = new Set([
  'floor_minor',
  'floors_applied',
  'lane',
  'lane_unsettled',
  'lane_foreign_transaction',
])

/** Words of wire formats and of the results of rails, which replays compare, by the files that have to name them. */
const wireTerms: [path: RegExp, word: RegExp][] = [
  [/\/distributionops/, /^floors?$/i],
  [/^(test\/)?workflows\/domain\/rails\//, /^(tell|told|nobody|somebody|desk)$/i],
  [/^test\/api\/http\/composed\.test\.ts$/, /^lane$/],
]

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.(ts|mts|mjs|js|md|py|sh|go|ya?ml)$/.test(path))
  .filter((path) => path !== 'test/words.test.ts' && !path.startsWith('CHANGELOG'))

test('comments, messages, names and documents use standard words', () => {
  const found = files.flatMap((path) => wordsIn(path, readFileSync(join(root, path), 'utf8')))
  expect(found).toEqual([])
})

test('a test name has at most 70 characters', () => {
  const name = /\b(?:verifies|test)\(\s*(?:\[[^\]]*\]\s*,|'[^']*'\s*,)?\s*'([^'\n]{71,})'\s*,/g
  const long = files
    .filter((path) => path.endsWith('.test.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return [...text.matchAll(name)].map(([, found]) => `${path}: ${found}`)
    })
  expect(long).toEqual([])
})

test('the lint finds each word in comments, strings, names and documents', () => {
  expect(wordsIn('a.ts', '// the lane\nconst a = 1')).toHaveLength(1)
  expect(wordsIn('a.ts', "refuse('x', { detail: 'nobody' })")).toHaveLength(1)
  expect(wordsIn('a.ts', 'const taskDesk = openDesk()')).toHaveLength(2)
  expect(wordsIn('lane-health.ts', '')).toHaveLength(1)
  expect(wordsIn('a.md', 'It goes on.\n')).toHaveLength(1)
})

test('the lint accepts the usual meanings of similar words', () => {
  const code = 'const n = Math.floor(x) // in turn; return; planes; a floored value\nintellect()'
  expect(wordsIn('a.ts', code)).toEqual([])
  expect(wordsIn('broadcast.ts', 'const broadcast = told_not')).toEqual([
    'broadcast.ts:1 told_not (name)',
  ])
  expect(wordsIn('a.md', '```\nthe lane\n```\n')).toEqual([])
})

const blank = (text: string): string => text.replace(/[^\n]/g, '')

type Piece = { text: string; line: number }

function wordsIn(path: string, source: string): string[] {
  const { prose, code } = path.endsWith('.md') ? documentPieces(source) : codePieces(path, source)
  const names = [{ text: path, line: 0 }, ...code]
  return [
    ...prose.flatMap((piece) => wordsOfProse(path, piece)),
    ...names.flatMap((piece) => wordsOfNames(path, piece)),
  ]
}

function wordsOfProse(path: string, { text, line }: Piece): string[] {
  return inText.flatMap(([word, better]) => {
    const match = word.exec(text)
    if (match === null || isWireTerm(path, match[0])) return []
    const at = line + text.slice(0, match.index).split('\n').length - 1
    return [`${path}:${at} ${match[0]} (${better})`]
  })
}

const isWireTerm = (path: string, word: string) =>
  wireTerms.some(([files, term]) => files.test(path) && term.test(word))

/** Identifiers whose parts are refused: `taskDesk`, `lane_jam`, `lane-health.ts`. */
function wordsOfNames(path: string, { text, line }: Piece): string[] {
  const names = new Set(text.match(/[A-Za-z_$][\w$-]*/g) ?? [])
  return [...names]
    .filter((name) => !knownNames.has(name))
    .filter((name) =>
      name
        .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
        .split(/[^A-Za-z]+/)
        .some((part) => inNames.test(part)),
    )
    .map((name) => `${path}:${line} ${name} (name)`)
}

/** A document without its code blocks and code spans. */
function documentPieces(source: string): { prose: Piece[]; code: Piece[] } {
  const text = source
    .replace(/<!-- begin: configuration -->[\s\S]*?<!-- end: configuration -->/, blank)
    .replace(/```[\s\S]*?```/g, blank)
    .replace(/`[^`\n]*`/g, '')
  return { prose: text.split('\n').map((line, at) => ({ text: line, line: at + 1 })), code: [] }
}

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//
const literal = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/
const tokens = new RegExp(`${comment.source}|${literal.source}`, 'g')

/** Comments and literals as prose, everything else as code; literals that look like identifiers count as neither. */
function codePieces(path: string, source: string): { prose: Piece[]; code: Piece[] } {
  if (!/\.(ts|mts|mjs|js)$/.test(path)) {
    const comments = source.split('\n').map((line, at) => ({ line: at + 1, text: line }))
    return { prose: comments.filter(({ text }) => /^\s*(#|\/\/)/.test(text)), code: [] }
  }
  const prose: Piece[] = []
  const lineAt = (index: number) => source.slice(0, index).split('\n').length
  const rest = source.replace(tokens, (token, at: number) => {
    prose.push({ text: token.replace(/\$\{[^}]*\}|Math\.floor/g, ''), line: lineAt(at) })
    return token.replace(/[^\n]/g, ' ')
  })
  return { prose, code: rest.split('\n').map((text, at) => ({ text, line: at + 1 })) }
}
