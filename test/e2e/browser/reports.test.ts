import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { rails } from '#domain/rails/index.ts'
import { workOn } from '#domain/rails/input/read-input.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { verifies } from '../../verifies.ts'
import { violationsOf } from './axe.ts'
import { noBrowser, openChromium, openWatched } from './chromium.ts'

/** A directory for the pictures; without it, none is taken. */
const pictures = process.env['REPORT_PICTURES']
let browser: Browser

describe.skipIf(noBrowser !== undefined)('reports in a browser', () => {
  beforeAll(async () => {
    browser = await openChromium()
  })
  afterAll(() => browser?.close())

  for (const rail of rails)
    verifies('package.report', `the report of ${rail.key} fits a screen and a phone`, async () => {
      const run = { run_id: `run_${digestOf(rail.key)}`, rail: rail.key, tier: 'pro' } as const
      const digests = { input_sha256: digestOf('input'), result_sha256: digestOf('result') }
      const made = workOn(rail, rail.sandboxInput)
      const about = { ...run, ...digests, usage: 'operational', partial: false }
      const files = reportOf(about, made)
      for (const width of [1280, 360]) {
        const context = await browser.newContext({
          bypassCSP: true,
          viewport: { width, height: 860 },
        })
        const { page, complaints } = await openWatched(context, [])
        await page.setContent(files['report.html'] ?? '')
        if (pictures !== undefined)
          await page.screenshot({
            path: join(pictures, `${rail.key}-${width}.png`),
            fullPage: true,
          })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        expect(await violationsOf(page)).toEqual([])
        expect(complaints).toEqual([])
        await context.close()
      }
    })
})
