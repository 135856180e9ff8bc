import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuse } from '#domain/core/errors.ts'
import { problemAnswer } from '../calls/problem.ts'
import { commonHeaders } from '../common-headers.ts'
import type { CallAnswer } from '../context.ts'
import { identifyCall } from './identify.ts'

/** Takes a connection on which Node's HTTP parser gave up, with the parser's error. */
export type UnreadableHandler = (error: NodeJS.ErrnoException, socket: Duplex) => void

/** How long a caller that is still sending has to read its answer; a connection closed on unread bytes would lose it. */
const LINGER_MS = 1000

/** Says as a 400 problem+json what Node's parser refuses before a request exists: a head over 16 KiB, or what is not HTTP; a slow one is a bare 408. */
export function answerUnreadable(baseUrl: string): UnreadableHandler {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    socket.end(
      error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? httpText(408, {}, '')
        : problemText(error, baseUrl),
    )
    socket.resume()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}

function problemText({ code }: NodeJS.ErrnoException, baseUrl: string): string {
  const { requestId, traceId } = identifyCall()
  const { refusal } =
    code === 'HPE_HEADER_OVERFLOW'
      ? refuse('invalid_request', {
          detail: 'path, query and headers are over 16 KiB',
        })
      : refuse('invalid_request', {
          detail: 'the bytes are not an HTTP/1.1 request',
        })
  const { status, headers, body } = problemAnswer(refusal, { baseUrl, requestId, traceId })
  return httpText(
    status,
    { ...commonHeaders({ requestId, traceId }), ...headers },
    JSON.stringify(body),
  )
}

function httpText(status: number, headers: CallAnswer['headers'], body: string): string {
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
