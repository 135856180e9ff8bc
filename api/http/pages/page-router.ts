import { gzipSync } from 'node:zlib'
import { type RequestHandler, Router } from 'express'
import { refuse } from '#domain/core/errors.ts'

/** A router for pages and their files; `at` serves a path to GET and HEAD alone. */
export function pageRouter() {
  const router = Router({ caseSensitive: true })
  const at = (path: string, ...handlers: RequestHandler[]) =>
    router.route(path).all(onlyGet(path)).get(handlers)
  return { router, at }
}

/** Names the route for the log, and lets nothing but GET and HEAD through. */
export function onlyGet(path: string): RequestHandler {
  return (request, response, next) => {
    response.locals['route'] = path
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    response.set('Allow', 'GET, HEAD')
    throw refuse('method_not_allowed', {
      detail: `${request.method} is not a method of this path`,
    })
  }
}

/** A text that never changes while the process runs: made when it is first asked for, and compressed once. */
export function packed(type: string, make: () => string): RequestHandler {
  let made: { plain: Buffer; zipped: Buffer } | undefined
  return (request, response) => {
    if (made === undefined) {
      const plain = Buffer.from(make())
      made = { plain, zipped: gzipSync(plain) }
    }
    const zipped = request.acceptsEncodings('gzip') === 'gzip'
    response.vary('Accept-Encoding').type(type)
    if (zipped) response.set('Content-Encoding', 'gzip')
    response.send(zipped ? made.zipped : made.plain)
  }
}
