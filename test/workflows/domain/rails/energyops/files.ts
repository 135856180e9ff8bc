import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { SaxesParser } from 'saxes'
import type { CellTable, XmlElement } from '#domain/rails/input/forms.ts'

const textOf = (name: string): string =>
  readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8')

type Open = XmlElement & { children: XmlElement[] }

/** The root element of an XML text. */
export function xmlIn(text: string): XmlElement {
  const open: Open[] = []
  let root: XmlElement | undefined
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => {
    const own = {
      name: name.replace(/^.*:/, ''),
      attributes,
      children: [],
      text: '',
      line: parser.line,
    }
    open.at(-1)?.children.push(own)
    open.push(own)
  })
  parser.on('text', (piece) => {
    const own = open.at(-1)
    if (own !== undefined) own.text = (own.text + piece).trim()
  })
  parser.on('closetag', () => {
    root = open.pop()
  })
  parser.write(text).close()
  if (root === undefined) throw new RangeError('there is no element')
  return root
}

/** A table whose header is the first record of at least `width` cells. */
export function tableIn(text: string, width = 3): CellTable {
  const records = (
    parse(text, { relaxColumnCount: true, info: true }) as unknown as {
      record: string[]
      info: { lines: number }
    }[]
  ).map(({ record, info }) => ({ line: info.lines, cells: record }))
  const at = records.findIndex(({ cells }) => cells.length >= width)
  return {
    above: records.slice(0, at).map(({ cells }) => cells.join(',')),
    header: records[at]?.cells ?? [],
    records: records.slice(at + 1),
  }
}

export const xmlFile = (name: string): XmlElement => xmlIn(textOf(name))
export const tableFile = (name: string): CellTable => tableIn(textOf(name))
export const textFile = textOf
