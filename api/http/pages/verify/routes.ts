import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RequestHandler, Router } from 'express'
import helmet from 'helmet'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import { onlyGet } from '../only-get.ts'
import { packed } from '../packed.ts'
import { verifyPage, verifyStylesheet } from './page.ts'

/** What `npm run build` makes of api/verify. */
const script = join(packageRoot, 'dist/verifier/verifier.js')

/** The page /verify of the base host, with its script and its style. */
export function createVerifier(): Router {
  const router = Router({ caseSensitive: true })
  const at = (path: string, ...handlers: RequestHandler[]) =>
    router.route(path).all(onlyGet(path)).get(handlers)
  at('/verify', policy, packed('html', verifyPage))
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

/** It calls this host alone, for the key set; text never becomes markup (Trusted Types), and no form is sent. */
const policy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
})
