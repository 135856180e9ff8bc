import { expect } from 'vitest'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { packageTexts } from '#domain/runs/package-files.ts'
import { COMPLETION_TYP, completionClaims, type MadePackage } from '#domain/runs/return-package.ts'
import { openPackageParts, openPackageView } from '#domain/verification/return-package.ts'
import { settle } from '#domain/verification/signed.ts'
import { returnPackageView } from '../../../../activities/runs/isolation/return-package-zip.ts'
import { finishedPackage, keySet, signedBy } from '../../../support/finished-task.ts'
import { provenAgain, withoutReport } from '../../../support/proven-again.ts'
import { verifies } from '../../../verifies.ts'

const keys = keySet()
const receipts = { settlement_receipt_id: null, usage_receipt_id: null }
const signing = { issuer: 'https://rails.example', environment: 'local', iat: 1_795_255_200 }

type Parts = { made: MadePackage; signature: string; texts: Record<string, string> }
async function packaged(rail = packetops as (typeof rails)[number]): Promise<Parts> {
  const { made, signature } = await finishedPackage(rail)
  return { made, signature, texts: packageTexts(made, signature) }
}

/** A package, signed by the service as if it had made it. */
const signed = async (made: MadePackage): Promise<Pick<Parts, 'made' | 'signature'>> => ({
  made,
  signature: await signedBy(COMPLETION_TYP, completionClaims(made, signing)),
})

function verdictOn({ signature, texts }: Pick<Parts, 'signature' | 'texts'>) {
  const { 'completion.jws': _, ...files } = texts
  const { verdict, reasons, checks } = settle(
    openPackageParts({ files, completionSignature: signature }, keys),
  )
  return { verdict, reasons, bad: checks.filter(({ ok }) => !ok) }
}

function verdictOnView({ made, signature }: Pick<Parts, 'made' | 'signature'>) {
  const view = JSON.parse(JSON.stringify(returnPackageView(made, signature, receipts)))
  const { verdict, reasons, checks } = settle(openPackageView(view, keys))
  return { verdict, reasons, bad: checks.filter(({ ok }) => !ok) }
}

verifies('package.report.verified', 'a changed file of the report is refused by name', async () => {
  for (const rail of rails) {
    const { signature, texts } = await packaged(rail)
    expect(verdictOn({ signature, texts })).toEqual({ verdict: 'valid', reasons: [], bad: [] })
    const reports = Object.keys(texts).filter((name) => !/\.(json|jws)$/.test(name))
    expect(reports).toEqual(expect.arrayContaining(['report.html', 'README.md']))
    for (const name of reports) {
      const forged = { ...texts, [name]: `${texts[name]} ` }
      const { [name]: _, ...fewer } = texts
      for (const [files, detail] of [
        [forged, 'it was changed'],
        [fewer, 'it is missing'],
      ] as const)
        expect(verdictOn({ signature, texts: files })).toEqual({
          verdict: 'invalid',
          reasons: ['file_changed'],
          bad: [{ check: name, ok: false, detail }],
        })
    }
    const more = { ...texts, 'tables/more.csv': '"a"\r\n' }
    expect(verdictOn({ signature, texts: more }).reasons).toEqual(['file_surplus'])
  }
})

verifies(
  'package.report.verified',
  'a signed report that is not made from its result is refused',
  async () => {
    const { made, texts } = await packaged()
    for (const name of ['report.html', 'README.md', 'tables/manifest.csv']) {
      const text = 'All is well.'
      const entry = { name, sha256: sha256Hex(text), bytes: text.length }
      const files = made.files.map((file) => (file.name === name ? entry : file))
      const forged = await signed(provenAgain(made, { files }))
      const refused = {
        verdict: 'invalid',
        reasons: ['report_mismatch'],
        bad: [{ check: 'report', ok: false, detail: `${name} is not made from the result` }],
      }
      const forgedTexts = { ...texts, [name]: text, 'manifest.json': canonicalJson(files) }
      expect(verdictOn({ ...forged, texts: forgedTexts })).toEqual(refused)
      expect(verdictOnView(forged)).toEqual(refused)
    }
    const fewer = made.files.filter(({ name }) => name !== 'report.html')
    expect(verdictOnView(await signed(provenAgain(made, { files: fewer }))).reasons).toEqual([
      'report_mismatch',
    ])
    const more = [...made.files, { name: 'tables/more.csv', sha256: sha256Hex('x'), bytes: 1 }]
    expect(verdictOnView(await signed(provenAgain(made, { files: more }))).bad).toEqual([
      { check: 'report', ok: false, detail: 'tables/more.csv is not made from the result' },
    ])
  },
)

verifies('package.report.verified', 'a version that is not known is refused by name', async () => {
  const { made, texts } = await packaged()
  const newer = await signed(provenAgain(made, { report_version: 9 }))
  const refused = {
    verdict: 'invalid',
    reasons: ['report_unknown'],
    bad: [
      { check: 'report version', ok: false, detail: 'it is 9, which this program does not make' },
    ],
  }
  expect(verdictOn({ ...newer, texts })).toEqual(refused)
  expect(verdictOnView(newer)).toEqual(refused)
  expect(() => packageTexts(newer.made, newer.signature)).toThrow(/reports of version 9/)
})

verifies('package.report.verified', 'a package without a report stays valid', async () => {
  const earlier = await signed(withoutReport((await packaged()).made))
  const texts = packageTexts(earlier.made, earlier.signature)
  expect(Object.keys(texts).sort()).toEqual([
    'completion.jws',
    'findings.json',
    'gaps.json',
    'manifest.json',
    'result.json',
  ])
  for (const found of [verdictOn({ ...earlier, texts }), verdictOnView(earlier)])
    expect(found).toEqual({ verdict: 'valid', reasons: [], bad: [] })
})

verifies(
  'package.report.verified',
  'only files of a report may be missing from the JSON',
  async () => {
    const { made } = await packaged()
    const names = [
      'constructor',
      '__proto__',
      'report.htm',
      'readme.md',
      'tables/a.csv.json',
      'tables/../a.csv',
      'a/tables/b.csv',
    ]
    for (const name of names) {
      const files = [...made.files, { name, sha256: sha256Hex('x'), bytes: 1 }]
      const { verdict, reasons, bad } = verdictOnView(await signed(provenAgain(made, { files })))
      expect({ verdict, reasons, bad: bad.map(({ check }) => check) }).toEqual({
        verdict: 'invalid',
        reasons: ['file_changed'],
        bad: [name],
      })
    }
  },
)
