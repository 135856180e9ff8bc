import type { RequestHandler } from 'express'
import { refuse } from '#domain/core/errors.ts'

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
