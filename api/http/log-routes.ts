import { Router } from 'express'
import { refuse } from '#domain/core/errors.ts'
import type { RateLimits } from '../calls/limits.ts'
import { clientAddress } from '../client-address.ts'
import type { LogService } from '../services/log/log.ts'
import { onlyGet } from './pages/page-router.ts'

type Served = {
  services: { log: Pick<LogService, 'checkpoint' | 'tile'> }
  limits: Pick<RateLimits, 'address'>
}

/** A full tile never changes; a partial one may be asked for while the full one is there. */
const CACHE = 'public, max-age=31536000, immutable'

/** The public files of the transparency log (C2SP tlog-tiles): `/log/checkpoint` and `/log/tile/…`. */
export function createLogRoutes({ services: { log }, limits }: Served): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use('/log', onlyGet('/log'), async (request, response, next) => {
    const ticket = await limits.address(clientAddress(request))
    ticket.assertGranted()
    response.set('Access-Control-Allow-Origin', '*')
    const path = request.path.slice(1)
    const note = path === 'checkpoint' ? await log.checkpoint() : undefined
    if (note !== undefined) {
      response
        .set('Cache-Control', 'public, max-age=1')
        .type('text/plain; charset=utf-8')
        .send(note)
      return
    }
    const tile = await log.tile(path)
    if (tile === undefined) return next()
    response.set('Cache-Control', CACHE).type('application/octet-stream')
    response.send(Buffer.from(tile.bytes))
  })
  router.use('/log', () => {
    throw refuse('not_found', { detail: 'the log has no such file' })
  })
  return router
}
