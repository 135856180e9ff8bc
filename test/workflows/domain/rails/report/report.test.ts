import { expect } from 'vitest'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import type { RailKey, Work } from '#domain/rails/rail.ts'
import { isReportFile } from '#domain/rails/report/report.ts'
import { reportOf, reportPlans } from '#domain/rails/reports.ts'
import { verifies } from '../../../../verifies.ts'
import { railCases } from '../cases.ts'
import { runOf } from '../golden.ts'

const sandboxWork = (rail: RailKey): Work<unknown> => railOf(rail).work(railOf(rail).sandboxInput)
const sandboxFiles = (rail: RailKey) => reportOf(runOf(rail), sandboxWork(rail))

const textIn = (page: string): string =>
  page
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&gt;', '>')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')

verifies('package.report.amounts', 'key figures of every rail are those of its result', () => {
  for (const { key } of rails) {
    const { result } = sandboxWork(key)
    const files = sandboxFiles(key)
    const shown = [
      ...textIn(files['report.html'] ?? '').matchAll(/<dt>([^<]*)<\/dt><dd><bdi>([^<]*)<\/bdi>/g),
    ].map(([, label, text]) => [label, text])
    const figures = Object.entries(railCases[key].figures(result)).map(([label, text]) => [
      label,
      `${text}`,
    ])
    expect(shown, key).toEqual(expect.arrayContaining(figures))
    expect(figures.length, key).toBe(reportPlans[key].figures.length)
    for (const [label, text] of figures)
      expect(files['README.md'], key).toContain(`| ${label} | \`${text}\` |`)
  }
})

verifies('package.report', 'a page has the run, figures, charts, notes, tables and proof', () => {
  for (const { key } of rails) {
    const { result, findings, gaps } = sandboxWork(key)
    const page = sandboxFiles(key)['report.html'] ?? ''
    for (const part of [`${key}, standard`, runOf(key).run_id, runOf(key).input_sha256])
      expect(page, key).toContain(part)
    // Every value of financeops is in a table.
    const others = key === 'financeops' ? [] : ['All other values']
    const titles = ['Key figures', 'Findings', 'Gaps', ...others, 'How to verify']
    for (const title of titles) expect(page, `${key} ${title}`).toContain(`<h2>${title}</h2>`)
    for (const { detail } of [...findings, ...gaps])
      expect(textIn(page), key).toContain(detail.slice(0, 60))
    const lists = result as Record<string, unknown>
    for (const { title, table } of reportPlans[key].charts) {
      const rows = lists[table]
      expect(Array.isArray(rows), `${key} ${table}`).toBe(true)
      if ((rows as unknown[]).length > 0) expect(page).toContain(`<figcaption>${title}`)
    }
  }
})

verifies('package.report', 'every list of a result with rows is a table with all of them', () => {
  for (const { key } of rails) {
    const files = sandboxFiles(key)
    const lists = Object.entries(sandboxWork(key).result as object).filter(
      ([, value]) => Array.isArray(value) && value.length > 0,
    )
    expect(lists.length, key).toBeGreaterThan(0)
    for (const [name, rows] of lists)
      expect(files[`tables/${name}.csv`]?.trimEnd().split('\r\n').length, name).toBe(
        rows.length + 1,
      )
    expect(Object.keys(files).every(isReportFile), key).toBe(true)
  }
})

verifies('package.report', 'a page loads nothing and runs nothing', () => {
  for (const { key } of rails) {
    const page = sandboxFiles(key)['report.html'] ?? ''
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/<script|<link|<img|<iframe|href=|src=|url\(|@import|https?:/i)
    expect(page).toContain('@media print')
  }
})

verifies('package.report', 'synthetic and partial runs are marked as such', () => {
  const { result, findings, gaps } = sandboxWork('packetops')
  const run = runOf('packetops', { usage: 'synthetic', partial: true })
  const files = reportOf(run, { result, findings, gaps })
  for (const name of ['report.html', 'README.md']) {
    expect(files[name]).toContain('Synthetic: a try, not operational work')
    expect(files[name]).toContain('Partial: gaps in the input were waived')
    expect(sandboxFiles('packetops')[name]).not.toMatch(/Synthetic:|Partial:/)
  }
})

verifies('package.built', 'the order of members does not change a report', () => {
  for (const { key } of rails) {
    const work = sandboxWork(key)
    const stored = JSON.parse(canonicalJson(work)) as Work<unknown>
    expect(reportOf(runOf(key), stored), key).toEqual(reportOf(runOf(key), work))
  }
})

verifies('package.report', 'large lists are cut in the page, which says what is left out', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ model: `m${at}`, cost_minor: at }))
  const wide = Array.from({ length: 2_000 }, (_, at) => ({ [`c${at}`]: at }))
  const note = { code: 'unpriced', detail: 'no price', citations: [] }
  const work = {
    result: { currency: 'USD', cost_by_model: rows, wide },
    findings: Array.from({ length: 500 }, () => note),
    gaps: [],
  }
  const files = reportOf(runOf('tokenops'), work)
  const page = files['report.html'] ?? ''
  expect(page).toContain('The first 50 of 20,000 rows')
  expect(page).toContain('The first 50 of 500 rows')
  expect(page).toContain('(the largest 12 of 20,000)')
  expect(page).toMatch(/The file has \d+ more columns/)
  expect(page.length).toBeLessThan(100_000)
  expect(files['tables/cost_by_model.csv']?.split('\r\n').length).toBe(20_002)
  // 65 cells in each row of 2,000, and never a column for each of 2,000 members.
  expect(files['tables/wide.csv']?.length).toBeLessThan(200_000)
  expect(files['tables/wide.csv']).toContain('""c1999"":1999')
})

verifies('package.report.amounts', 'amounts follow the decimals of their currency', () => {
  const rows = [
    { counterparty: 'A', currency: 'JPY', amount_minor: 1234567 },
    { counterparty: 'B', currency: 'KWD', amount_minor: 1234567 },
    { counterparty: 'C', currency: 'EUR', amount_minor: -5 },
  ]
  const files = reportOf(runOf('financeops'), {
    result: { unmatched_invoices: rows, other: [{ amount_minor: 12 }], sums: { left_minor: 7 } },
    findings: [],
    gaps: [],
  })
  expect(files['tables/unmatched_invoices.csv']).toBe(
    '"counterparty","amount","currency"\r\n"A",1234567,"JPY"\r\n"B",1234.567,"KWD"\r\n"C",-0.05,"EUR"\r\n',
  )
  expect(files['tables/other.csv']).toBe('"amount_minor"\r\n12\r\n')
  const page = files['report.html'] ?? ''
  for (const currency of ['JPY', 'KWD', 'EUR'])
    expect(page).toContain(
      `<figcaption>Unmatched invoices by counterparty, ${currency}</figcaption>`,
    )
  expect(page).toContain('7 minor units')
})

/** Each text and each number that a caller could have written. */
const hostileTexts = [
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style></svg></table><iframe src=https://evil.example>',
  '&lt;b&gt;&#x3c;b',
  '=HYPERLINK("https://evil.example","pay")',
  '+1+1',
  '-2+3',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  ' =1+1',
  '＝1+1',
  'a;=1+1,"=1+1"\r\n=1+1',
  '[pay](javascript:alert(1)) ![x](https://evil.example/x.png)',
  '`</code>` | [a](b) |',
  '``` ~~~ # title',
  'safe\u202etxt.exe\u2066\u2069\u200b',
  'nul\u0000bel\u0007esc\u001b[31mdel\u007f',
  'line\u2028separator',
]

/** A value with this text in place of each text in it, and as the name of a member of each object. */
function withText(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (Array.isArray(value)) return value.map((item) => withText(item, text))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]) => [name, withText(one, text)])
  return { ...Object.fromEntries(members), [text]: text }
}

const tags = new Set(
  'html head meta title style body header main p h1 h2 dl dt dd div bdi table thead tbody tr th td code q pre figure figcaption svg text rect'.split(
    ' ',
  ),
)
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no file may have.
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

verifies('package.report.hostile', 'hostile text in every field stays text on the page', () => {
  for (const { key } of rails)
    for (const text of hostileTexts) {
      const work = withText(sandboxWork(key), text) as Work<unknown>
      const page = reportOf(runOf(key), work)['report.html'] ?? ''
      const body = page.slice(page.indexOf('</style>'))
      for (const [tag, name = ''] of body.matchAll(/<\/?([a-z0-9]*)[^>]*>?/gi))
        expect(tags.has(name), `${key} ${text} ${tag}`).toBe(true)
      expect(body.match(/<[^>]*\s(on\w+|href|src|style)\s*=/i), `${key} ${text}`).toBeNull()
      expect(controls.test(page), `${key} ${text}`).toBe(false)
    }
})

verifies('package.report.hostile', 'hostile text in every field stays text in the README', () => {
  for (const { key } of rails)
    for (const text of hostileTexts) {
      const work = withText(sandboxWork(key), text) as Work<unknown>
      const readme = reportOf(runOf(key), work)['README.md'] ?? ''
      expect(controls.test(readme), key).toBe(false)
      const outside = readme.replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '')
      expect(outside, `${key} ${text}`).not.toMatch(/<|\]\(|javascript|evil|alert|SUM|title\b/)
    }
})
