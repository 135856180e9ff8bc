import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect } from 'vitest'
import { read, root } from '../../docs/pictures.ts'
import { type PastingStack, startPastingStack } from '../../support/pasting.ts'
import { verifies } from '../../verifies.ts'
import { blocksOf, codeOf, type Snippet, snippetsOf } from './snippets.ts'

let stack: PastingStack
beforeAll(async () => {
  stack = await startPastingStack()
})
afterAll(() => stack?.stop())

const documents = execFileSync('git', ['ls-files', 'README.md', 'docs/*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const runnable = (page: string) => blocksOf(read(page)).filter(({ notRun }) => notRun === undefined)
const paste = ({ language, code }: Snippet) => stack.paste(language, code)
const pastedAll = new Set<string>()

verifies(
  'docs.as-pasted',
  'every snippet of the README works as pasted, in order, on one stack',
  async () => {
    const blocks = runnable('README.md')
    expect(blocks.map(({ language }) => language)).toEqual([
      'sh',
      'ts',
      'python',
      'sh',
      'sh',
      'ts',
      'sh',
      'sh',
    ])
    const printed: string[] = []
    for (const block of blocks) printed.push(await paste(block))
    for (const { code } of blocks) pastedAll.add(codeOf(stack.here(code)))
    const [example, typescript, python, curl, piped, payout, calls, operator] = printed
    for (const one of [example, typescript, python, curl])
      expect(one).toContain('soc2_evidence_packet')
    for (const one of [piped, payout]) expect(one).toMatch(/executed +0x[0-9a-f]{64}/)
    expect(calls?.match(/"state": ?"created"/g)).toHaveLength(2)
    expect(operator).toContain('proven')
  },
)

verifies(
  'docs.as-pasted',
  'each snippet of the landing page works as pasted, in order',
  async () => {
    const page = await (await fetch(stack.baseUrl)).text()
    const snippets = snippetsOf(page)
    expect(snippets.length).toBeGreaterThan(10)
    const program = await (await fetch(`${stack.baseUrl}/walk-through.mjs`)).text()
    // The steps are one program, which is pasted whole; what the README pasted before is the same text.
    const steps = snippets.filter(({ name }) => name.endsWith(': TypeScript'))
    for (const { code } of steps) expect(program).toContain(code.trim())
    expect(await stack.paste('ts', steps.map(({ code }) => code).join('\n'))).toMatch(
      /executed +0x[0-9a-f]{64}/,
    )
    for (const snippet of snippets) {
      if (steps.includes(snippet) || pastedAll.has(codeOf(snippet.code))) continue
      expect(await paste(snippet), snippet.name).not.toBe('')
    }
  },
)

verifies(
  'docs.as-pasted',
  'every command of the tour works as pasted, in order, on the same stack',
  async () => {
    const blocks = runnable('docs/tour.md')
    expect(blocks.length).toBeGreaterThan(15)
    const printed = await stack.paste('sh', blocks.map(({ code }) => code).join('\n'))
    for (const line of [
      'payout_final 1.25 0x',
      'again 201 replayed, paid in',
      'nothing needs attention',
      'proven',
    ])
      expect(printed).toContain(line)
    expect(printed.match(/rows and chain agree/g)).toHaveLength(2)
    expect(printed.match(/→ closed$/gm)).toHaveLength(2)
  },
  300_000,
)

verifies(
  'docs.as-pasted',
  'each other snippet works as pasted or says why it is not run',
  async () => {
    const languages = documents.flatMap((page) =>
      [...read(page).matchAll(/^```(\w+)$/gm)].map(([, language]) => language),
    )
    expect([...new Set(languages)].sort()).toEqual(['mermaid', 'python', 'sh', 'text', 'ts'])
    const others = documents.filter((page) => page !== 'README.md' && page !== 'docs/tour.md')
    for (const page of others)
      for (const block of runnable(page)) expect(await paste(block), page).not.toBe('')
    const reasons = documents.flatMap((page) =>
      blocksOf(read(page)).flatMap(({ notRun }) => notRun ?? []),
    )
    expect(reasons.length).toBeGreaterThan(5)
    for (const reason of reasons) expect(reason).toMatch(/^[a-z].{20,}[^.]$/)
    for (const file of reasons.flatMap((reason) => reason.match(/test\/\S+\.ts/g) ?? []))
      expect(read(file)).not.toBe('')
  },
)

verifies('docs.as-pasted', 'no example pays an account whose key is published', () => {
  const published =
    /0x(70997970c51812dc3a010c7d01b50e0d17dc79c8|f39fd6e51aad88f6f4ce6ab8827279cfffb92266)/i
  const pages = execFileSync(
    'git',
    ['ls-files', 'README.md', 'docs/*.md', 'examples/*', 'api/http/pages/*'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  expect(
    pages
      .trim()
      .split('\n')
      .filter((page) => published.test(read(page))),
  ).toEqual([])
})
