import { readFileSync } from 'node:fs'
import type { CellTable, XmlElement } from '#domain/rails/form.ts'
import { cellTable } from '../../../../../activities/runs/csv.ts'
import { xmlTree } from '../../../../../activities/runs/extract/xml.ts'

export const textFile = (name: string): string =>
  readFileSync(new URL(`files/${name}`, import.meta.url), 'utf8')

export const xmlIn = (text: string): XmlElement => xmlTree(Buffer.from(text))
export const xmlFile = (name: string): XmlElement => xmlIn(textFile(name))
/** The text as its reader hands it over, with `\n` as the end of each line. */
export const tableIn = (text: string): CellTable => cellTable(text.replaceAll('\r\n', '\n'))
export const tableFile = (name: string): CellTable => tableIn(textFile(name))
