import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { sheetType, type UploadType } from '#domain/rails/input/documents.ts'
import { extract, type ReadAs } from '../../../../activities/runs/extract/extract.ts'
import {
  docxOf,
  externalRelation,
  numberCell,
  paragraph,
  pdfOf,
  textCell,
  xlsxOf,
} from '../../../support/office-files.ts'
import { secrets } from '../../../support/secrets.ts'
import { within } from '../../../support/slowness.ts'
import { verifies } from '../../../verifies.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const pdf = 'application/pdf'
const document: ReadAs = { kind: 'document', charsMax: 100_000, images: true }
const rows = (sheet: string | null = null): ReadAs => ({ kind: 'rows', list: 'usage', sheet })
const fixture = (name: string) =>
  readFile(join(import.meta.dirname, '../../../support/documents', name))

async function read(type: UploadType, bytes: Uint8Array, as = document) {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
  return extract(type, pieces(), as)
}
async function textOf(type: UploadType, bytes: Uint8Array, as = document) {
  const got = await read(type, bytes, as)
  if (!('extraction' in got)) throw new Error(JSON.stringify(got))
  return got.extraction
}
/** What is wrong with a file. */
async function faultOf(type: UploadType, bytes: Uint8Array, as = document) {
  const got = await read(type, bytes, as)
  if ('extraction' in got) throw new Error(`it was read: ${got.extraction.text?.slice(0, 100)}`)
  if ('secret' in got) throw new Error(`it holds ${got.secret}`)
  const [group] = got.faults.groups
  return [group?.kind, group?.message]
}
const unreadable = (what: string) => ['file_unreadable', `the file ${what}`]
const noText = unreadable('is no text in UTF-8, UTF-16 or Windows-1252')

verifies(
  'files.encodings',
  'a text file in another encoding is read, and it is named',
  async () => {
    const text = 'Die Prüfung der Zugänge ist abgeschlossen.'
    for (const [bytes, extractor] of [
      [Buffer.from(text), 'utf-8'],
      [Buffer.from(text, 'latin1'), 'windows-1252'],
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
    ] as const)
      expect(await textOf('text/plain', bytes)).toMatchObject({
        text,
        extractor,
        text_sha256: sha256Hex(text),
      })
  },
)

verifies(
  'files.text',
  'a PDF of reportlab is read by pages, with digest and extractor',
  async () => {
    const read = await textOf(pdf, await fixture('backup.pdf'))
    const text = read.text ?? ''
    expect(text).toBe(
      'Backup policy\n\nBackups are retained for 35 days.\nThey are encrypted with AES-256.\n' +
        'Incident response\n\nCustomers are notified of a breach within 48 hours.\nApproved by: John Doe\n',
    )
    expect(read).toMatchObject({ extractor: 'pdf.js', unit: 'page', text_sha256: sha256Hex(text) })
    expect(read.starts).toEqual([0, text.indexOf('Incident')])
    expect(read.upload_sha256).toMatch(/^[0-9a-f]{64}$/)
  },
)

verifies(
  'files.text',
  'a DOCX of python-docx is read by paragraphs and rows of tables',
  async () => {
    const read = await textOf(docx, await fixture('policy.docx'))
    expect(read.text?.split('\n')).toEqual([
      'Access control policy',
      '',
      'Multi-factor authentication is required for all employees.',
      '',
      'Access reviews are done every 90 days. They are signed by the security officer.',
      '',
      'owner\tJane Roe',
      'approved_by\tJohn Doe',
      '',
      '',
    ])
    expect(read.unit).toBe('paragraph')
    expect(read.starts).toHaveLength(5)
  },
)

verifies(
  'files.text',
  'deleted text, field codes and second forms of a DOCX are left out',
  async () => {
    const body = `${paragraph('kept')}<w:p><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>
    <w:r><w:instrText>INCLUDETEXT "c:\\secret"</w:instrText><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>
    <mc:Fallback xmlns:mc="m"><w:t>twice</w:t></mc:Fallback></w:p>`
    const named = '<w:p><constructor/><__proto__/><toString>x</toString></w:p>'
    expect((await textOf(docx, docxOf(`${paragraph('a')}${named}`))).text).toBe('a\n\n\n\n')
    expect((await textOf(docx, docxOf(body))).text).toBe('kept\n\na\tb\n\n')
  },
)

verifies(
  'files.images',
  'an image is kept as a claim, and what is no image is refused',
  async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')
    const claim = await textOf('image/png', png)
    expect(claim).toMatchObject({ text: null, text_sha256: null, extractor: null, unit: null })
    expect(await faultOf('image/jpeg', png)).toEqual(
      unreadable('is not of the type that it was uploaded as'),
    )
    expect(await faultOf('image/png', png, { ...document, images: false })).toEqual(
      unreadable('is an image, which is not read as text'),
    )
  },
)

verifies('files.sheets', 'sheets of openpyxl give the same rows by both date systems', async () => {
  const [by1900, by1904] = await Promise.all([
    textOf(sheetType, await fixture('usage.xlsx'), rows()),
    textOf(sheetType, await fixture('usage-1904.xlsx'), rows('Usage')),
  ])
  const lines = Array.from({ length: 20 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 4, 1, 8, 30) + n * 7 * 3_600_000 + 250 * (n % 2))
    return `${at.toISOString().replace('.000Z', 'Z')},gpt-4o,${1000 + n},${10 * n}`
  })
  expect(by1900.text?.trimEnd().split('\n')).toEqual([
    'at,model,input_tokens,output_tokens',
    ...lines,
  ])
  expect(by1904.text).toBe(by1900.text)
  expect([by1900.sheet, by1900.sheet_asked, by1904.sheet_asked]).toEqual(['Usage', null, 'Usage'])
})

verifies(
  'files.sheets',
  'days, decimals, truth values and quoted cells are read exactly',
  async () => {
    const { text } = await textOf(sheetType, await fixture('usage.xlsx'), rows('Kinds'))
    expect(text).toBe(
      'text,day,amount,tiny,yes,quoted\n' +
        '=not a formula,2024-02-29,0.3,0.000000125,true,"a ""b"", c\nd"\n' +
        '  ,2000-01-01,-1234567.5,12345678901234,false,Ärger 日本\n',
    )
  },
)

verifies(
  'files.sheets',
  'a formula counts by its stored value; without one it is a fault',
  async () => {
    const header = ['at', 'model', 'input_tokens'].map(textCell)
    const formula = (value: string, type = 'n') => `<c t="${type}"><f>1+2</f>${value}</c>`
    const with3 = xlsxOf({
      rows: [header, [textCell('now'), formula('<v>m</v>', 'str'), formula('<v>3</v>')]],
    })
    expect((await textOf(sheetType, with3, rows())).text).toBe('at,model,input_tokens\nnow,m,3\n')
    for (const none of ['', '<v></v>']) {
      const got = await read(
        sheetType,
        xlsxOf({ rows: [header, [], [textCell('now'), textCell('m'), formula(none)]] }),
        rows(),
      )
      expect(got).toEqual({
        faults: {
          total: 1,
          groups_left_out: 0,
          groups: [
            {
              kind: 'wrong_format',
              field: '/usage/*/input_tokens',
              message: 'is a formula without a stored value',
              count: 1,
              first: [{ pointer: '/usage/0/input_tokens', row: 0, value: '"C3"' }],
            },
          ],
        },
      })
    }
    const error = xlsxOf({ rows: [header, ['<c t="e"><v>#DIV/0!</v></c>']] })
    expect(await faultOf(sheetType, error, rows())).toEqual([
      'wrong_format',
      'holds the error #DIV/0!',
    ])
    expect(await faultOf(sheetType, await fixture('usage.xlsx'), rows('Formulas'))).toEqual([
      'wrong_format',
      'is a formula without a stored value',
    ])
    expect(await faultOf(sheetType, await fixture('usage.xlsx'), rows('Other'))).toEqual(
      unreadable('has no sheet "Other"; it has "Usage", "Kinds", "Formulas"'),
    )
  },
)

verifies(
  'files.sheets',
  'serial dates follow format and date system; the lost day is a fault',
  async () => {
    const formats = ['yyyy-mm-dd', 'dd/mm/yyyy hh:mm', '[h]:mm', 'h:mm', '0.00 &quot;days&quot;']
    const cells = (serial: number | string) => formats.map((_, style) => numberCell(serial, style))
    const header = formats.map((_, n) => textCell(`c${n}`))
    const lineOf = async (serial: number | string, workbook?: string) => {
      const book = xlsxOf({ rows: [header, cells(serial)], formats, ...(workbook && { workbook }) })
      return (await textOf(sheetType, book, rows())).text?.split('\n')[1]
    }
    expect(await lineOf(46_143)).toBe(
      '2026-05-01,2026-05-01T00:00:00Z,46143,2026-05-01T00:00:00Z,46143',
    )
    expect(await lineOf(0.5, '<workbookPr date1904="1"/>')).toBe(
      '1904-01-01T12:00:00Z,1904-01-01T12:00:00Z,0.5,12:00:00,0.5',
    )
    expect(await lineOf(59)).toMatch(/^1900-02-28,/)
    expect(await lineOf(61)).toMatch(/^1900-03-01,/)
    for (const serial of [60, -1, 3e6, 'x']) {
      const book = xlsxOf({ rows: [[textCell('day')], [numberCell(serial)]], formats: ['d.m.yy'] })
      const [kind, message] = await faultOf(sheetType, book, rows())
      expect([kind, message]).toEqual(['wrong_format', 'is no date of the date system of the file'])
    }
  },
)

verifies('files.sheets', 'the rows of a sheet are those of the same CSV (property)', async () => {
  const cell = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'Ä', '"', ',', '\n', ' ', '=', '日', '<', '&') }),
    fc.integer({ min: -999_999_999, max: 999_999_999 }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 20 }),
      async (given) => {
        const filled = given.filter((row) => row.some((value) => value !== ''))
        const xml = (value: string | number) =>
          typeof value === 'number' ? numberCell(value) : textCell(value)
        const quoted = (value: string | number) =>
          /[",\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`
        const book = xlsxOf({
          rows: [['a', 'b', 'c'].map(textCell), ...given.map((row) => row.map(xml))],
        })
        const csv = ['a,b,c', ...filled.map((row) => row.map(quoted).join(','))].join('\n')
        expect((await textOf(sheetType, book, rows())).text).toBe(`${csv}\n`)
      },
    ),
    { numRuns: 300 },
  )
})

const bomb = (bytes: number) =>
  zipSync({ '_rels/.rels': strToU8('<a/>'), 'word/document.xml': new Uint8Array(bytes) })
const nested = (depth: number) => `${'<w:p>'.repeat(depth)}${'</w:p>'.repeat(depth)}`
const entities =
  '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
const typed = unreadable(
  'has a part with a document type, which could name entities or other files',
)

verifies('files.hostile', 'hostile files are refused, each with its reason', async () => {
  const whole = await fixture('policy.docx')
  const book = await fixture('usage.xlsx')
  const other = unreadable('is not of the type that it was uploaded as')
  const page = await fixture('backup.pdf')
  const cases: [UploadType, Uint8Array, (string | undefined)[], ReadAs?][] = [
    [docx, bomb(2_000_000), unreadable('has a part that grows more than 200 times')],
    [docx, docxOf(nested(400)), unreadable('nests deeper than 256 elements')],
    [docx, docxOf(paragraph('x'), entities), typed],
    [docx, docxOf('<w:p><w:t>&b;&x;</w:t></w:p>', entities), typed],
    [
      docx,
      docxOf('<w:p><w:t>&b;</w:t></w:p>'),
      unreadable('has a part that is not well-formed XML'),
    ],
    [
      docx,
      docxOf('', '', { '_rels/.rels': externalRelation('http://a.test/') }),
      unreadable('is a zip and no Office file'),
    ],
    [
      docx,
      docxOf(''),
      unreadable('holds no text: a scan is uploaded as an image, or with its text next to it'),
    ],
    [
      docx,
      docxOf(paragraph('x'.repeat(100_001))),
      unreadable('has more than 100000 characters of text'),
    ],
    [docx, whole.subarray(0, whole.length - 100), unreadable('is damaged')],
    [docx, page, other],
    [
      docx,
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      unreadable('is encrypted, or of an old binary format'),
    ],
    [sheetType, book.subarray(0, 3000), unreadable('is damaged'), rows()],
    [sheetType, whole, unreadable('has no sheet'), rows()],
    [sheetType, book, unreadable('is a spreadsheet: send its rows as a text')],
    [pdf, book, other],
    [pdf, pdfOf(10_000), unreadable('has more than 2000 pages')],
    [
      pdf,
      pdfOf(1, { text: '' }),
      unreadable('holds no text: a scan is uploaded as an image, or with its text next to it'),
    ],
    [pdf, await fixture('locked.pdf'), unreadable('is encrypted')],
    [pdf, page.subarray(0, 400), unreadable('is damaged')],
    [pdf, page, unreadable('has no rows: send a text, such as CSV or JSON Lines, or XLSX'), rows()],
    ['text/plain', Buffer.from([0xff, 0xfe, 0x00]), noText],
    ['text/plain', Buffer.from([0xff, 0xd8, 0xff, 0x00]), noText],
  ]
  for (const [type, bytes, reason, as] of cases)
    expect([reason[1], await faultOf(type, bytes, as)]).toEqual([reason[1], reason])
})

verifies(
  'files.hostile',
  'scripts and files inside of a PDF are not run and not read',
  async () => {
    const script =
      '/OpenAction << /S /JavaScript /JS (app.alert(1); this.exportDataObject(1)) >> /Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (/etc/passwd) >>] >> >>'
    const { text } = await textOf(pdf, pdfOf(1, { text: 'Plain words', catalogue: script }))
    expect(text).toBe('Plain words\n')
  },
)

verifies('files.hostile', 'a changed file is read or refused in bounded time (fuzz)', async () => {
  const files: [UploadType, Uint8Array, ReadAs][] = [
    [pdf, await fixture('backup.pdf'), document],
    [docx, await fixture('policy.docx'), document],
    [sheetType, await fixture('usage.xlsx'), rows()],
    [docx, docxOf(paragraph('x')), document],
  ]
  const change = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      async ([type, bytes, as], changes, end) => {
        const changed = Uint8Array.from(bytes)
        for (const { at, byte } of changes) changed[Math.floor(at * (changed.length - 1))] = byte
        const cut = end === null ? changed : changed.subarray(0, Math.ceil(end * changed.length))
        const begun = performance.now()
        const got = await read(type, cut, as)
        expect(performance.now() - begun).toBeLessThan(within(10_000))
        if ('faults' in got) expect(got.faults.total).toBeGreaterThan(0)
        else expect(got).toMatchObject({ extraction: { text: expect.any(String) } })
      },
    ),
    { numRuns: 300 },
  )
})

verifies('files.screened', 'each kind of secret is found in what a file says', async () => {
  const rows = { kind: 'rows', list: 'usage', sheet: null } as const
  for (const [secret] of secrets) {
    const paragraphs = secret.split('\n').map(paragraph).join('')
    const files: [UploadType, Uint8Array, ReadAs][] = [
      ['application/pdf', pdfOf(1, { text: secret }), document],
      [docx, docxOf(paragraphs), document],
      [sheetType, xlsxOf({ rows: [[textCell('note')], [textCell(secret)]] }), rows],
    ]
    for (const [type, bytes, as] of files)
      expect(await read(type, bytes, as), `${type} ${secret}`).toEqual({
        secret: expect.stringMatching(/^an? /),
      })
  }
})
