import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { type Extraction, sheetType, type UploadType } from '#domain/rails/input/documents.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { rerun } from '#domain/verification/rerun.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { requireTask } from '../../../../activities/store/tasks/tasks.ts'
import { recordOf } from '../../../../api/services/tasks/replay-package.ts'
import { freshKey, openAgentUse, problemOf } from '../../../support/agent-use.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { pdfOf } from '../../../support/office-files.ts'
import { verifies } from '../../../verifies.ts'

type Input = Record<string, unknown>
let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  apis = await startComposedTasks()
  agent = await openAgentUse(apis.hosts[0]!, apis.operator, {
    sandbox: true,
    rails: ['packetops', 'diligenceops', 'tokenops'],
  })
})
afterAll(async () => {
  await apis?.stop()
})

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const fixture = (name: string) =>
  readFile(join(import.meta.dirname, '../../../support/documents', name))
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')

async function uploaded(mediaType: UploadType, bytes: Uint8Array): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const upload = { mediaType, bytes: Buffer.from(bytes) } as const
  const { body } = await agent.client.call('input-upload', { sha256 }, { upload })
  expect(body).toMatchObject({ media_type: mediaType, byte_length: bytes.length })
  return sha256
}

/** The package of a synthetic run, and the record of its task. */
async function finished(rail: 'packetops' | 'diligenceops', input: Input) {
  const { quote_id } = await agent.quote(rail)
  const asked = { ...agent.startInput(quote_id, rail), usage: 'synthetic' as const, input }
  const { run } = (await agent.start(asked)).body
  const stateOf = async () => (await agent.status(run.run_id, 5_000)).state
  await expect.poll(stateOf).toBe('closed')
  const named = { mode: 'fetch_return_package', run_id: run.run_id } as const
  const { return_package, completion } = (await agent.client.call('fetch-return-package', named))
    .body
  expect(completion.verdict).toBe('proven')
  const record = await transaction(apis.db, async (tx) =>
    recordOf('https://service.test', tx, await requireTask(tx, run.task_id)),
  )
  return { made: return_package, record }
}

verifies(
  ['files.used', 'files.replayed'],
  'a PDF and a DOCX answer a questionnaire, by page and paragraph',
  async () => {
    const [backup, policy] = [await fixture('backup.pdf'), await fixture('policy.docx')]
    const [pdf, word] = [await uploaded('application/pdf', backup), await uploaded(docx, policy)]
    const { made, record } = await finished('diligenceops', {
      questions: [
        { id: 'q1', text: 'Within how many hours are customers notified of a breach?' },
        { id: 'q2', text: 'Is multi-factor authentication required for all employees?' },
      ],
      evidence: [
        { id: 'backup', title: 'Backup policy', upload: { sha256: pdf } },
        { id: 'access', title: 'Access policy', upload: { sha256: word } },
      ],
    })
    const { answers } = made.result as {
      answers: { answer: string; citations: { pointer: string; place?: string }[] }[]
    }
    expect(
      answers.map(({ answer, citations: [first] }) => [answer, first?.pointer, first?.place]),
    ).toEqual([
      ['Customers are notified of a breach within 48 hours.', '/evidence/0/text', 'page 2'],
      [
        'Multi-factor authentication is required for all employees.',
        '/evidence/1/text',
        'paragraph 2',
      ],
    ])
    const read = made.findings.filter(({ code }) => code === 'file_read')
    expect(read.map(({ citations }) => citations[0]?.quote).toSorted()).toEqual(
      [pdf, word].toSorted(),
    )
    const details = read.map(({ detail }) => detail).join('\n')
    expect(details).toMatch(
      /^pdf\.js \d+\.\d+\.\d+ read the file .+, 2 pages; the SHA-256 of its text is /m,
    )
    expect(details).toMatch(/^docx 1 read the file .+, 5 paragraphs;/m)
    expect(rerun(record, {})).toMatchObject({ holds: expect.stringContaining(made.result_sha256) })
  },
)

verifies('files.replayed', 'a replay refuses another text, and one that is missing', async () => {
  const bytes = await fixture('backup.pdf')
  const { record } = await finished('packetops', packet(await uploaded('application/pdf', bytes)))
  expect(rerun(record, {})).toHaveProperty('holds')
  const { documents } = record
  const isRead = ({ content }: { content: unknown }) =>
    (content as Partial<Extraction>).type === 'service.extraction.v1'
  const read = documents.find(isRead)?.content as Extraction
  const replayed = (content: Extraction | undefined) => {
    const others = documents.filter((one) => !isRead(one))
    const more = content === undefined ? [] : [{ sha256: digestOf(content), content }]
    return rerun({ ...record, documents: [...others, ...more] }, {})
  }
  expect(replayed(read)).toHaveProperty('holds')
  const text = `${read.text} Approved.`
  expect(replayed({ ...read, text })).toEqual({
    fault: `the text of the upload ${read.upload_sha256} was changed`,
  })
  expect(replayed({ ...read, text, text_sha256: sha256Hex(text) })).toHaveProperty('fault')
  expect(replayed({ ...read, version: '0' })).toHaveProperty('fault')
  expect(replayed(undefined)).toEqual({
    fault: `the text of the upload ${read.upload_sha256} is not in the package`,
  })
})

const packet = (sha256: string, more: Input[] = []) => ({
  title: 'Backups',
  required_sections: ['backup'],
  as_of: '2026-06-01',
  items: [
    { name: 'Backup policy', section: 'backup', upload: { sha256 }, issued_at: '2026-05-01' },
    ...more,
  ],
})

verifies(
  ['files.used', 'files.images'],
  'an uploaded PDF counts as checked content; an image only as a claim',
  async () => {
    const sha256 = await uploaded('application/pdf', await fixture('backup.pdf'))
    const image = await uploaded('image/png', png)
    const shot = { name: 'Screenshot', section: 'backup', upload: { sha256: image } }
    const { made } = await finished('packetops', packet(sha256, [shot]))
    const { manifest } = made.result as { manifest: Input[] }
    expect(manifest.find(({ name }) => name === 'Backup policy')).toMatchObject({
      sha256,
      digest: 'computed',
      reading: 'written',
      approved_by: 'John Doe',
    })
    expect(manifest.find(({ name }) => name === 'Screenshot')).toMatchObject({
      sha256: image,
      digest: 'claimed',
      reading: 'unread',
    })
    expect(made.findings).toContainEqual({
      code: 'image_claimed',
      detail: `The file ${image} (image/png, ${png.length} bytes) is kept as a claim; it was not read.`,
      citations: [{ pointer: '/items/1/upload/sha256', quote: image }],
    })
  },
)

const quoteOf = (rail: 'packetops' | 'diligenceops' | 'tokenops', input: Input) =>
  problemOf(
    agent.client.call('agent-quote', {
      rail,
      tier: 'standard',
      input,
      idempotency_key: freshKey(),
    }),
  )

verifies(
  ['files.hostile', 'rails.faults-before-money', 'input.checked'],
  'files with faults are refused before money, each at its place',
  async () => {
    const many = await uploaded('application/pdf', pdfOf(10_000))
    const locked = await uploaded('application/pdf', await fixture('locked.pdf'))
    const item = { name: 'Plan', section: 'backup', upload: { sha256: locked } }
    expect(await quoteOf('packetops', packet(many, [item]))).toMatchObject({
      code: 'input_rejected',
      status: 422,
      money_moved: 'no',
      errors: [
        { pointer: '/input/items/0/upload', message: 'the file has more than 2000 pages' },
        { pointer: '/input/items/1/upload', message: 'the file is encrypted' },
      ],
      faults: { total: 2, groups: [{ kind: 'file_unreadable' }, { kind: 'file_unreadable' }] },
    })
    const image = await uploaded('image/png', png)
    const evidence = [{ id: 'e', title: 'Shot', upload: { sha256: image } }]
    const questions = [{ id: 'q', text: 'Is it so?' }]
    expect(await quoteOf('diligenceops', { questions, evidence })).toMatchObject({
      errors: [{ message: 'the file is an image, which is not read as text' }],
    })
    const both = { id: 'e', title: 'Both', text: 'x', upload: { sha256: image } }
    expect(await quoteOf('diligenceops', { questions, evidence: [both] })).toMatchObject({
      errors: [{ pointer: '/input/evidence/0', message: 'evidence has a text or an upload' }],
    })
  },
)

verifies(
  ['files.sheets', 'input.checked'],
  'a sheet is read as its list, with the faults of CSV and of cells',
  async () => {
    const sha256 = await uploaded(sheetType, await fixture('usage.xlsx'))
    const input = (sheet?: string) => ({
      ...(tokenops.sandboxInput as unknown as Input),
      usage: { sha256, ...(sheet !== undefined && { sheet }) },
    })
    const asked = { rail: 'tokenops', tier: 'standard', idempotency_key: freshKey() } as const
    await agent.client.call('agent-quote', { ...asked, input: input() })
    const { rows } = await sql<{ rows: string; lines: number }>`
      select outcome->>'rows' as rows, length(extraction->>'text') as lines from upload_checks
      where sha256 = ${sha256}`.execute(apis.db)
    expect(rows).toEqual([{ rows: '20', lines: expect.any(Number) }])
    expect(await quoteOf('tokenops', input('Formulas'))).toMatchObject({
      errors: [
        {
          pointer: '/input/usage/0/input_tokens',
          message: 'is a formula without a stored value',
        },
      ],
      faults: { groups: [{ first: [{ row: 0, value: '"C2"' }] }] },
    })
    expect(await quoteOf('tokenops', input('Nowhere'))).toMatchObject({
      errors: [
        {
          pointer: '/input/usage',
          message: 'the file has no sheet "Nowhere"; it has "Usage", "Kinds", "Formulas"',
        },
      ],
    })
    const kinds = await quoteOf('tokenops', input('Kinds'))
    expect(kinds).toMatchObject({ code: 'input_rejected' })
  },
)
