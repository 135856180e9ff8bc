import { type PlacedText, textOfParts, tooManyChars } from './placed-text.ts'
import { mainPartOf, namedParts, relationsName, relationsOf } from './relations.ts'
import { extractLimits, Unreadable } from './unreadable.ts'
import { handlersOf, readXml } from './xml.ts'

const notes = ['footnotes', 'endnotes']

/**
 * The text of a DOCX file: its paragraphs, the rows of its tables with a tab between two cells, then its notes. Deleted text, field
 * codes, comments, headers, footers and macros are not read. Throws `Unreadable`.
 */
export function readDocx(bytes: Uint8Array, charsMax: number): PlacedText {
  const main = mainPartOf(bytes)
  const relations = relationsName(main)
  const { main: body, parts } = namedParts(bytes, main, [relations])
  const named = relationsOf(main, parts.get(relations)).filter(({ type }) => notes.includes(type))
  const ofNotes = namedParts(
    bytes,
    main,
    named.map(({ target }) => target),
  ).parts
  const paragraphs: string[] = []
  for (const part of [body, ...named.map(({ target }) => ofNotes.get(target))])
    if (part !== undefined) for (const one of paragraphsOf(part, charsMax)) paragraphs.push(one)
  return textOfParts('paragraph', paragraphs, charsMax)
}

/** Elements whose text is none of the document: deleted, moved away, or a second form of what stands before. */
const unread = new Set([
  'del',
  'moveFrom',
  'Fallback',
  'instrText',
  'delText',
  'rPr',
  'pPr',
  'sectPr',
])
const breaks = new Map([
  ['tab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
])

function paragraphsOf(part: Uint8Array, charsMax: number): string[] {
  const done: string[] = []
  let chars = 0
  /** The rows that are open, each with its finished cells and the paragraphs of its open cell. */
  const rows: { cells: string[]; cell: string[] }[] = []
  let [text, skipped, isText] = ['', 0, false]
  const write = (more: string) => {
    chars += more.length
    // Tables in tables join their texts again at each depth.
    if (chars > charsMax) throw tooManyChars(charsMax)
    text += more
  }
  const take = (paragraph: string) => {
    const row = rows.at(-1)
    // A blank line ends a paragraph, as in plain text.
    if (row === undefined) done.push(`${paragraph}\n`)
    else row.cell.push(paragraph)
    if (done.length > extractLimits.paragraphsMax)
      throw new Unreadable(`has more than ${extractLimits.paragraphsMax} paragraphs`)
  }
  const ends = handlersOf({
    p: () => {
      take(text)
      text = ''
    },
    tc: () => {
      const row = rows.at(-1)
      row?.cells.push(
        row.cell
          .join(' ')
          .replace(/[\t\n]+/g, ' ')
          .trim(),
      )
      row?.cell.splice(0)
    },
    tr: () => {
      const row = rows.pop()?.cells.join('\t')
      if (row === undefined) return
      if (rows.length > 0) take(row)
      else done.push(row)
    },
    tbl: () => {
      const last = done.pop()
      if (last !== undefined) done.push(rows.length > 0 ? last : `${last}\n`)
    },
  })
  readXml(part, {
    open: (name) => {
      if (skipped > 0 || unread.has(name)) skipped += 1
      else if (name === 'tr') rows.push({ cells: [], cell: [] })
      else if (name === 't') isText = true
      else write(breaks.get(name) ?? '')
    },
    close: (name) => {
      if (skipped > 0) skipped -= 1
      else if (name === 't') isText = false
      else ends.get(name)?.()
    },
    text: (more) => {
      if (isText && skipped === 0) write(more)
    },
  })
  return done
}
