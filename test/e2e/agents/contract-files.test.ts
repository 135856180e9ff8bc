import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  type ContractResult,
  contractops,
  contractopsInput,
} from '#domain/rails/contractops/index.ts'
import type { UploadType } from '#domain/rails/input/documents.ts'
import { createClient } from '../../../api/http/client.ts'
import { freshKey, openAgentUse } from '../../support/agent-use.ts'
import { begunTask } from '../../support/agreed-task.ts'
import { docxOf, paragraph, pdfOfPages } from '../../support/office-files.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let agent: Awaited<ReturnType<typeof openAgentUse>>
beforeAll(async () => {
  stack = await startStack()
  agent = await openAgentUse(hosts(), stack.accounts.operator.credential, {
    rails: ['contractops', 'packetops'],
  })
})
afterAll(async () => stack?.stop())

const hosts = () => ({ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string })
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const paragraphs = contractopsInput.text.trim().split('\n\n')
/** The fourth paragraph begins the second page. */
const pages = [paragraphs.slice(0, 4), paragraphs.slice(4)].map((some) => some.join('\n\n'))

/** From the upload to the fetched package, over HTTP alone. */
async function read(mediaType: UploadType, file: Uint8Array) {
  const bytes = Buffer.from(file)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  await agent.client.call('input-upload', { sha256 }, { upload: { mediaType, bytes } })
  const input = { as_of: contractopsInput.as_of, upload: { sha256 } }
  const task = await begunTask(agent, { rail: 'contractops', usage: 'synthetic', input })
  expect(task.blocking).toEqual([])
  const { task_token } = task
  const holder = createClient({ baseUrl: hosts().base, osUrl: hosts().os, statusToken: task_token })
  const ledger = async () => (await holder.call('task-ledger', {})).body.task
  const reaches = (state: string) => expect.poll(async () => (await ledger()).state).toBe(state)
  const agreed = await task.agree()
  await agreed.accept()
  await reaches('trusted')
  await agent.client.call('agent-quote', {
    rail: 'contractops',
    tier: 'standard',
    task_token,
    idempotency_key: freshKey(),
  })
  await reaches('credit_funded')
  await agreed.submit()
  await reaches('closed')
  const run_id = (await ledger()).run_id ?? ''
  const asked = { mode: 'fetch_return_package', run_id, include_files: true } as const
  const { body } = await agent.client.call('fetch-return-package', asked)
  expect(body.completion.verdict).toBe('proven')
  const { return_package, file_contents } = body
  const report = file_contents?.['report.html'] ?? ''
  return { result: return_package.result as ContractResult, report, sha256 }
}

/** The words that are cited and their page or paragraph; an apostrophe is curly in the standard encoding of PDF. */
const cited = (found: readonly { citation: { quote: string; place?: string } }[]) =>
  found.map(({ citation: { quote, place } }) => [
    quote.replaceAll(/\s+/g, ' ').replaceAll('’', "'"),
    place,
  ])

verifies('files.used', 'a contract as PDF and as DOCX is read from upload to report', async () => {
  const pdf = await read('application/pdf', pdfOfPages(pages))
  const word = await read(docx, docxOf(paragraphs.map(paragraph).join('')))
  const inline = contractops.work(contractopsInput).result
  for (const { result, report, sha256 } of [pdf, word]) {
    expect(result.parties.map(({ name }) => name)).toEqual(inline.parties.map(({ name }) => name))
    expect(result.terms.notice?.deadline_on).toBe(inline.terms.notice?.deadline_on)
    expect(result.obligations).toHaveLength(inline.obligations.length)
    expect(result.amounts.map(({ value }) => value)).toEqual(
      inline.amounts.map(({ value }) => value),
    )
    for (const shown of ['Northwind Ledger, Inc.', '2026-07-02', 'State of New York', sha256])
      expect(report).toContain(shown)
  }
  const law = 'This Agreement is governed by the laws of the State of New York.'
  const cap = paragraphs[7]?.replace('6. Liability. ', '')
  expect(cited(pdf.result.governing_law)).toEqual([[law, 'page 2']])
  expect(cited(pdf.result.liability_caps)).toEqual([[cap, 'page 2']])
  expect(cited(pdf.result.parties).map(([, place]) => place)).toEqual(['page 1', 'page 1'])
  expect(cited(word.result.governing_law)).toEqual([[law, 'paragraph 9']])
  expect(cited(word.result.liability_caps)).toEqual([[cap, 'paragraph 8']])
  expect(cited(word.result.parties).map(([, place]) => place)).toEqual([
    'paragraph 2',
    'paragraph 2',
  ])
})
