import { strToU8, zipSync } from 'fflate'

const relations = (body: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${body}</Relationships>`
const officeType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relation = (id: string, type: string, target: string, more = '') =>
  `<Relationship Id="${id}" Type="${officeType}/${type}" Target="${target}"${more}/>`

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '&#13;')

/** A cell of a sheet as XML, without its place. */
export const textCell = (text: string) =>
  `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
export const numberCell = (value: number | string, style = 0) =>
  `<c s="${style}"><v>${value}</v></c>`

type Book = {
  /** The XML of the cells of each row. */
  rows: string[][]
  /** Codes of number formats, by style. */
  formats?: string[]
  workbook?: string
  more?: Record<string, string>
}

/** An XLSX file of one sheet. */
export function xlsxOf({
  rows,
  formats = ['General'],
  workbook = '',
  more = {},
}: Book): Uint8Array {
  const numFmts = formats.map((code, n) => `<numFmt numFmtId="${200 + n}" formatCode="${code}"/>`)
  const xfs = formats.map((_, n) => `<xf numFmtId="${200 + n}"/>`)
  return zipOf({
    '_rels/.rels': relations(relation('r1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook xmlns:r="${officeType}">${workbook}<sheets><sheet name="Rows" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      `${relation('r1', 'worksheet', 'worksheets/sheet1.xml')}${relation('r2', 'styles', 'styles.xml')}`,
    ),
    'xl/styles.xml': `<styleSheet><numFmts>${numFmts.join('')}</numFmts><cellXfs>${xfs.join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows.map((cells) => `<row>${cells.join('')}</row>`).join('')}</sheetData></worksheet>`,
    ...more,
  })
}

/** A DOCX file with this body and what stands before it. */
export function docxOf(body: string, before = '', more: Record<string, string> = {}): Uint8Array {
  return zipOf({
    '_rels/.rels': relations(relation('r1', 'officeDocument', 'word/document.xml')),
    'word/document.xml': `<?xml version="1.0"?>${before}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...more,
  })
}

export const externalRelation = (target: string) =>
  relations(relation('r1', 'officeDocument', target, ' TargetMode="External"'))
export const paragraph = (text: string) => `<w:p><w:r><w:t>${escaped(text)}</w:t></w:r></w:p>`

const zipOf = (files: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))

/** A PDF of many pages that share one content, and entries of its catalogue. */
export function pdfOf(pages: number, { text = 'Hello', catalogue = '' } = {}): Uint8Array {
  const lines = text.match(/.{1,70}(?!\S)|.{1,70}/g) ?? []
  return pdfFile([drawn(lines)], { pages: Array(pages).fill(0), catalogue })
}

/** A PDF with a page for each text; its lines stay, and an empty one ends a paragraph. */
export function pdfOfPages(texts: readonly string[]): Uint8Array {
  const lines = (text: string) =>
    text.split('\n').flatMap((line) => line.match(/.{1,90}(?!\S)|^$/g) ?? [])
  const contents = texts.map((text) => drawn(lines(text)))
  return pdfFile(contents, { pages: texts.map((_, n) => n), catalogue: '' })
}

const drawn = (lines: readonly string[]): string => {
  const shown = lines.map((line) => `(${line.trim().replaceAll(/[\\()]/g, '\\$&')}) Tj T*`)
  return `BT /F1 12 Tf 14 TL 72 700 Td ${shown.join(' ')} ET`
}

/** A PDF of these contents; each page names its content. */
function pdfFile(
  contents: readonly string[],
  { pages, catalogue }: { pages: readonly number[]; catalogue: string },
): Uint8Array {
  const kids = pages.map((_, n) => `${n + 4 + contents.length} 0 R`)
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue}>>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...contents.map((content) => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`),
    ...pages.map(
      (content) =>
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content + 4} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    ),
  ]
  let file = '%PDF-1.7\n'
  const offsets = objects.map((object, n) => {
    const offset = file.length
    file += `${n + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const entries = offsets.map((offset) => `${`${offset}`.padStart(10, '0')} 00000 n \n`)
  const size = objects.length + 1
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${entries.join('')}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF`,
  )
}
