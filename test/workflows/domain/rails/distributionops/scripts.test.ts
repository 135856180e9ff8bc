import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { distributionops } from '#domain/rails/distributionops/index.ts'
import { latinText } from '#domain/rails/distributionops/latin-text.ts'
import { distributionopsInput } from '#domain/rails/distributionops/sample.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { verifies } from '../../../../verifies.ts'

type Written = [name: string, latin: string]
const allWritten = (names: Written[], iban = '') => {
  for (const [name, latin] of names) expect(latinText(name, 70, iban), name).toBe(latin)
}

verifies('distributionops.scripts', 'Greek names are written as ELOT 743 transcribes them', () => {
  allWritten([
    ['Δημήτρης Παπαδόπουλος', 'Dimitris Papadopoulos'],
    ['ΕΥΑΓΓΕΛΟΣ ΜΠΑΚΑΛΗΣ', 'EVANGELOS BAKALIS'],
    ['Ελευθέριος Χατζηαυγουστής', 'Eleftherios Chatziavgoustis'],
    ['Ευτυχία Ψαρρού', 'Eftychia Psarrou'],
    // An accent on the first letter, or two dots on the second: no pair.
    ['Άυλος Μαΐου', 'Aylos Maiou'],
    ['Ταΰγετος, Νεράϊδα', 'Taygetos, Neraida'],
    ['Λάμπρος Ντόμπρας', 'Lampros Ntompras'],
    ['Άγγελος Σφίγξ & Υιοί Ο.Ε.', 'Angelos Sfinx + Yioi O.E.'],
    // Of several accents, as before 1982, and of parts that are put together.
    ['Ἑλένη Τσολάκη τοῦ Παύλου', 'Eleni Tsolaki tou Pavlou'],
    ['Δημήτρης'.normalize('NFD'), 'Dimitris'],
  ])
})

verifies('distributionops.scripts', 'Cyrillic names are written as their country does', () => {
  allWritten([
    ['Щербаков Пётр Ильич', 'Shcherbakov Petr Ilich'],
    ['ЮЛИЯ ХРУЩЁВА', 'IULIIA KHRUSHCHEVA'],
    ['Объект Эхо Ы', 'Obieekt Ekho Y'],
  ])
  allWritten(
    [
      ['Христо Щерев', 'Hristo Shterev'],
      ['Мария Ангелова', 'Maria Angelova'],
      ['СТЕФАНИЯ ЖЕЛЯЗКОВА', 'STEFANIA ZHELYAZKOVA'],
      ['Ѝордан Въльов Юриев', 'Iordan Valyov Yuriev'],
    ],
    'BG80 BNBG 9661 1020 3456 78',
  )
  allWritten(
    [
      ['Ђорђе Живковић', 'Dorde Zivkovic'],
      ['ЉУБИЦА ЧОЛИЋ', 'LJUBICA COLIC'],
      ['Његош Џон Хаџић', 'Njegos Dzon Hadzic'],
    ],
    'RS35260005601001611379',
  )
  allWritten(
    [
      ['Ѓорѓи Ќосев', 'Gjorgji Kjosev'],
      ['Џемо Хаџи', 'Djemo Hadji'],
    ],
    'MK07250120000058984',
  )
  allWritten(
    [
      ['Григорій Їжакевич', 'Hryhorii Izhakevych'],
      ['Євген Щука', 'Ievhen Shchuka'],
    ],
    'UA213223130000026007233566001',
  )
  expect(latinText('Қайрат', 70)).toBeUndefined()
})

verifies(
  'distributionops.scripts',
  'a file of such names fits the schema of ISO 20022',
  async () => {
    const named = [
      ['greek', 'Ευάγγελος Παπαϊωάννου', 'GR16 0110 1250 0000 0001 2300 695'],
      ['bulgarian', 'Мария Щерева', 'BG80 BNBG 9661 1020 3456 78'],
      ['serbian', 'Ђорђе Ћирић', 'RS35260005601001611379'],
    ]
    const asked = distributionopsInput.credit_transfer
    const input = {
      ...distributionopsInput,
      ...(asked && {
        credit_transfer: { ...asked, debtor: { ...asked.debtor, name: 'Εταιρία Α.Ε.' } },
      }),
      recipients: named.map(([id = '', name = '', iban = '']) => ({ id, weight: 1, name, iban })),
    }
    const work = distributionops.work(input)
    expect(work.result.payments.map(({ name }) => name)).toEqual([
      named[1]?.[1],
      named[0]?.[1],
      named[2]?.[1],
    ])
    const run = { run_id: 'run_1', rail: 'distributionops', tier: 'standard', usage: 'operational' }
    const digests = { input_sha256: 'a'.repeat(64), result_sha256: 'b'.repeat(64), partial: false }
    const files = reportOf({ ...run, ...digests } as never, work)
    const xml = files['payouts/pain.001.001.09.xml'] ?? ''
    expect([...xml.matchAll(/<Nm>([^<]*)</g)].map(([, name]) => name)).toEqual([
      'Etairia A.E.',
      'Etairia A.E.',
      'Maria Shtereva',
      'Evangelos Papaioannou',
      'Dorde Ciric',
    ])
    expect(xml).toMatch(/^[\x20-\x7e\n]*$/)
    expect(files['payouts/payouts.csv']).toContain('"Мария Щерева","Maria Shtereva"')
    const contents = readFileSync(join(import.meta.dirname, 'pain.001.001.09.xsd'), 'utf8')
    const { errors } = await validateXML({
      xml: [{ fileName: 'file.xml', contents: xml }],
      schema: [{ fileName: 'pain.001.001.09.xsd', contents }],
    })
    expect(errors).toEqual([])
  },
)
