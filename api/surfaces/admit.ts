import type { Request, RequestHandler } from 'express'
import { refuse } from '../../workflows/domain/errors.ts'
import type { PathGroup } from './operation-groups.ts'

/** CORS for public GETs, 405 for other methods, 415 for other bodies, all before a byte of the body is read. */
export function admit({ path, methods }: PathGroup): RequestHandler {
  const open = methods.get('GET')?.every(({ access }) => access === 'public') ?? false
  const allowed = [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), ...(open ? ['OPTIONS'] : [])]
  return (request, response, next) => {
    response.locals['route'] = path
    if (open) response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' })
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
      throw refuse(
        'method_not_allowed',
        `${request.method} is not a method of this path`,
        `Use ${allowed.join(' or ')}.`,
      )
    }
    if (request.method === 'POST') assertJson(request)
    next()
  }
}

function assertJson(request: Request): void {
  const type = request.get('content-type')
  const bodiless = request.get('transfer-encoding') === undefined && Number(request.get('content-length') ?? 0) === 0
  if (type === undefined ? bodiless : /^application\/json\s*(;|$)/i.test(type)) return
  throw refuse(
    'unsupported_media_type',
    'the content type is not application/json',
    'Send Content-Type: application/json.',
  )
}
