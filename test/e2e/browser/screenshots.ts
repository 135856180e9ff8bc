import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { packageRoot } from '../../../activities/config/package-root.ts'

const directory = join(packageRoot, 'docs', 'screenshots')
const wanted = process.env['SCREENSHOTS'] !== undefined

/** Writes docs/screenshots/NAME.png of what is in view; only `npm run screenshots` does, a test run leaves the pictures alone. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!wanted) return
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`) })
}
