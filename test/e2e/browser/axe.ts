import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] }

/** What axe-core complains about in a page, by all of its rules or only these; one line for each element. */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A debugger may evaluate what the policy of the page forbids.
  await page.evaluate(source)
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify({ runOnly: rules })}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  )
}
