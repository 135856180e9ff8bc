import type { RequestHandler } from 'express'
import { refuse } from '#domain/core/errors.ts'
import type { Changes } from '../../../activities/store/postgres/changes.ts'
import { clientAddress } from '../../client-address.ts'
import type { CallRequest } from '../../context.ts'

type EventDeps = {
  changes: Pick<Changes, 'subscribe'>
  /** Throws 401 unless these headers are an operator's, and 429 after too many failures of an address. */
  assertOperator: (headers: CallRequest['headers'], address: string) => Promise<void>
  /** Ends all streams. */
  ended: AbortSignal
}

/** Streams of one process at once. */
const STREAMS_MAX = 100
const CHANGES_EACH_MS = 1_000
/** How often a stream says that it is alive, and checks that its operator still is one. */
const ALIVE_EACH_MS = 15_000
const IDS_MAX = 200

/**
 * GET /console/events: the ids of payouts, tasks, payments and calls that changed, as Server-Sent Events, at most once a second. The
 * page then reads what it shows again. It holds nothing else, so a lost event is harmless.
 */
export function changeEvents({ changes, assertOperator, ended }: EventDeps): RequestHandler {
  let streams = 0
  return async (request, response) => {
    response.locals['route'] = '/console/events'
    const assertStill = () => assertOperator(request.headers, clientAddress(request))
    await assertStill()
    if (streams >= STREAMS_MAX)
      throw refuse('unavailable', { detail: 'too many streams are open', retry_after_ms: 30_000 })
    streams += 1
    response.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    response.write(': connected\n\n')
    const seen = new Set<string>()
    const unsubscribe = changes.subscribe((id) => {
      if (seen.size < IDS_MAX) seen.add(id)
    })
    const report = setInterval(() => {
      if (seen.size === 0) return
      response.write(`event: changed\ndata: ${JSON.stringify([...seen])}\n\n`)
      seen.clear()
    }, CHANGES_EACH_MS)
    const alive = setInterval(() => {
      assertStill().then(
        () => response.write(': alive\n\n'),
        () => response.end(),
      )
    }, ALIVE_EACH_MS)
    const end = () => response.end()
    ended.addEventListener('abort', end)
    response.on('close', () => {
      streams -= 1
      unsubscribe()
      clearInterval(report)
      clearInterval(alive)
      ended.removeEventListener('abort', end)
    })
  }
}
