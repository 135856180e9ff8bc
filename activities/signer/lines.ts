import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'

/** The longest line of the protocol in bytes, in either direction. */
const LINE_BYTES_MAX = 1024 * 1024

/** Calls `take` with each line of a socket; ends a connection that sends a longer line than `LINE_BYTES_MAX`. */
export function readLines(socket: Socket, take: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const [first = '', ...others] = decoder.write(chunk).split('\n')
    rest += first
    for (const line of others) {
      take(rest)
      rest = line
    }
    if (rest.length > LINE_BYTES_MAX) socket.destroy()
  })
}
