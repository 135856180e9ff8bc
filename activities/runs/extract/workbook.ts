import { type DateSystem, kindOfFormat, type NumberKind } from './cell-value.ts'
import { mainPartOf, namedParts, relationsName, relationsOf } from './relations.ts'
import { extractLimits, Unreadable } from './unreadable.ts'
import { attributeOf, readXml } from './xml.ts'

export type Workbook = {
  sheet: string
  /** The XML of the sheet. */
  xml: Uint8Array
  strings: readonly string[]
  /** What the numbers of each cell style show. */
  kinds: readonly NumberKind[]
  system: DateSystem
}

/** A sheet of an XLSX file, by its name or the first, with what its cells refer to. Throws `Unreadable`. */
export function openWorkbook(bytes: Uint8Array, wanted: string | null): Workbook {
  const name = mainPartOf(bytes)
  const { main, parts } = namedParts(bytes, name, [relationsName(name)])
  const relations = relationsOf(name, parts.get(relationsName(name)))
  const { sheets, system } = sheetsOf(main)
  const sheet = wanted === null ? sheets[0] : sheets.find((one) => one.name === wanted)
  if (sheet === undefined) throw new Unreadable(lacking(wanted, sheets))
  const target = relations.find(({ id }) => id === sheet.relation)
  if (target?.type !== 'worksheet')
    throw new Unreadable(`has no cells in the sheet ${JSON.stringify(sheet.name)}`)
  const named = (type: string) => relations.find((one) => one.type === type)?.target ?? ''
  const [strings, styles] = [named('sharedStrings'), named('styles')]
  const { main: xml, parts: others } = namedParts(bytes, target.target, [strings, styles])
  return {
    sheet: sheet.name,
    xml,
    strings: stringsOf(others.get(strings)),
    kinds: kindsOf(others.get(styles)),
    system,
  }
}

type Sheet = { name: string; relation: string }

function sheetsOf(xml: Uint8Array): { sheets: Sheet[]; system: DateSystem } {
  const sheets: Sheet[] = []
  let system: DateSystem = 1900
  readXml(xml, {
    open: (element, attributes) => {
      const is1904 = attributes['date1904'] === '1' || attributes['date1904'] === 'true'
      if (element === 'workbookPr' && is1904) system = 1904
      if (element !== 'sheet') return
      const relation = attributeOf(attributes, 'id') ?? ''
      sheets.push({ name: attributes['name'] ?? '', relation })
      if (sheets.length > extractLimits.sheetsMax)
        throw new Unreadable(`has more than ${extractLimits.sheetsMax} sheets`)
    },
  })
  return { sheets, system }
}

function lacking(wanted: string | null, sheets: readonly Sheet[]): string {
  if (wanted === null) return 'has no sheet'
  const names = sheets.slice(0, 10).map(({ name }) => JSON.stringify(name.slice(0, 100)))
  return `has no sheet ${JSON.stringify(wanted)}; it has ${names.join(', ')}`
}

/** The texts that cells share, without the readings of their characters. */
function stringsOf(xml: Uint8Array | undefined): string[] {
  const strings: string[] = []
  if (xml === undefined) return strings
  let [text, isText, inReading] = ['', false, false]
  readXml(xml, {
    open: (element) => {
      if (element === 'si') text = ''
      if (element === 't') isText = true
      if (element === 'rPh') inReading = true
    },
    close: (element) => {
      if (element === 'si') strings.push(text)
      if (strings.length > extractLimits.cellsMax)
        throw new Unreadable(`shares more than ${extractLimits.cellsMax} texts`)
      if (element === 't') isText = false
      if (element === 'rPh') inReading = false
    },
    text: (more) => {
      if (isText && !inReading) text += more
    },
  })
  return strings
}

function kindsOf(xml: Uint8Array | undefined): NumberKind[] {
  const kinds: NumberKind[] = []
  if (xml === undefined) return kinds
  const codes = new Map<string, string>()
  let inCells = false
  readXml(xml, {
    open: (element, { numFmtId = '0', formatCode = '' }) => {
      if (element === 'numFmt') codes.set(numFmtId, formatCode)
      if (element === 'cellXfs') inCells = true
      if (element === 'xf' && inCells)
        kinds.push(kindOfFormat(Number(numFmtId), codes.get(numFmtId)))
    },
    close: (element) => {
      if (element === 'cellXfs') inCells = false
    },
  })
  return kinds
}
