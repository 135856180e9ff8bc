import type { Request, RequestHandler } from 'express'
import { refuse } from '#domain/core/errors.ts'
import { hasBody } from '../http-method.ts'
import type { AnyOperation } from '../operation.ts'
import type { PathGroup } from './operation-groups.ts'

/** CORS for public GETs, 405 for other methods, 415 for other bodies, all before a byte of the body is read. */
export function admit({ path, methods }: PathGroup): RequestHandler {
  const open = methods.get('GET')?.every(({ access }) => access === 'public') ?? false
  const allowed = [
    ...methods.keys(),
    ...(methods.has('GET') ? ['HEAD'] : []),
    ...(open ? ['OPTIONS'] : []),
  ]
  return (request, response, next) => {
    response.locals['route'] = path
    if (open)
      response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' })
    if (open && request.method === 'OPTIONS') {
      response.set({
        Allow: allowed.join(', '),
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Max-Age': '300',
      })
      response.status(204).end()
      return
    }
    if (!allowed.includes(request.method)) {
      response.set('Allow', allowed.join(', '))
      throw refuse('method_not_allowed', {
        detail: `${request.method} is not a method of this path`,
      })
    }
    if (isWritten(request)) assertTaken(request, mediaTypesOf(methods.get(request.method)))
    next()
  }
}

/** Whether the request's method has a body. */
export const isWritten = ({ method }: Request): boolean => hasBody(method)

const mediaTypesOf = (group: readonly AnyOperation[] = []): readonly string[] =>
  group[0]?.stream?.mediaTypes ?? ['application/json']

function assertTaken(request: Request, mediaTypes: readonly string[]): void {
  const type = request.get('content-type')
  const bodiless =
    request.get('transfer-encoding') === undefined &&
    Number(request.get('content-length') ?? 0) === 0
  if (type === undefined ? bodiless : mediaTypes.includes(mediaTypeOf(type))) return
  const taken = mediaTypes.join(' or ')
  throw refuse('unsupported_media_type', {
    detail: `the content type is not ${taken}`,
  })
}

/** A content type without its parameters. */
export const mediaTypeOf = (contentType: string): string =>
  (contentType.split(';')[0] ?? '').trim().toLowerCase()
