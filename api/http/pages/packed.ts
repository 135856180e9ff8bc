import { gzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'

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
