import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'express'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import { packed } from '../packed.ts'
import { pageRouter } from '../page-router.ts'
import { callingPagePolicy } from '../policies.ts'
import { verifyPage, verifyStylesheet } from './page.ts'

/** What `npm run build` makes of api/verify. */
const script = join(packageRoot, 'dist/verifier/verifier.js')

/** The page /verify of the base host, with its script and its style. */
export function createVerifier(): Router {
  const { router, at } = pageRouter()
  at('/verify', callingPagePolicy, packed('html', verifyPage))
  at(
    '/verify/verify.css',
    packed('css', () => verifyStylesheet),
  )
  at(
    '/verify/verifier.js',
    packed('js', () => readFileSync(script, 'utf8')),
  )
  return router
}
